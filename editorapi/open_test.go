package editorapi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const (
	canShow  = `{"window":{"showDocument":{"support":true}}}`
	canFetch = `{"window":{"showDocument":{"support":true}},"workspace":{"textDocumentContent":{}}}`
)

// A long text is a document: fetched where the client can, a file where it can show one, and else a message
// says where it is.
func TestOpenText(t *testing.T) {
	text := "one\ntwo\n" + strings.Repeat("x", 2000)
	for _, test := range []struct {
		name, title, capabilities string
		edit, success             bool
		scheme, message           string
		mode                      os.FileMode
	}{
		{"fetched", "fs.read_file", canFetch, false, true, "mcp", "", 0},
		{"fetched, a JSON", "a/b.json", canFetch, false, true, "mcp", "", 0},
		{"to edit", "fs.read_file.mcp", canFetch, true, true, "file", "", 0o600},
		{"not fetched", "fs.read_file", canFetch, false, false, "file", "fs.read_file: one … All of it is in ", 0o400},
		{"a file", "fs.read_file", canShow, false, true, "file", "", 0o400},
		{"a file that is not shown", "a \x1b;b.md", canShow, false, false, "file", `a \u{1b};b: one … All of it is in `, 0o400},
		{"no documents", "fs.read_file", `{}`, false, true, "", "fs.read_file: one … All of it is in ", 0o400},
		{"no documents to edit", "fs.read_file.mcp", `{}`, true, true, "", "Open this file to go on: ", 0o600},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.o.TextDir = filepath.Join(t.TempDir(), "texts")
			e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(test.capabilities), Answers: map[string]fakeeditor.Answer{
				"window/showDocument": always(map[string]bool{"success": test.success}),
			}})
			shown := b.session().openText(t.Context(), test.title, text, test.edit)
			if want := test.success && test.scheme != ""; shown != want {
				t.Errorf("shown is %v", shown)
			}
			if test.message != "" {
				e.AwaitMethod("window/showMessage")
			}
			var uri, message string
			for _, m := range e.Messages() {
				switch m.Method {
				case "window/showDocument":
					uri = rawjson.String(m.Params, "uri")
				case "window/showMessage":
					message = rawjson.String(m.Params, "message")
				}
			}
			if scheme, _, _ := strings.Cut(uri, ":"); scheme != test.scheme {
				t.Errorf("the document is %q", uri)
			}
			if test.scheme == "mcp" {
				answer, err := e.Request("workspace/textDocumentContent", map[string]string{"uri": uri})
				if err != nil || rawjson.String(answer, "text") != text {
					t.Errorf("fetched was %.20s, %v", answer, err)
				}
				return
			}
			path, isPath := strings.CutPrefix(message, test.message)
			if test.message == "" {
				var err error
				path, err = fileuri.ToPath(uri)
				isPath = err == nil && message == ""
			}
			info, err := os.Stat(path)
			if !isPath || err != nil || info.Mode() != test.mode || filepath.Dir(path) != b.o.TextDir {
				t.Fatalf("the file is %v, %v; the message is %q", info, err, message)
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != text {
				t.Errorf("the file has %.20q, %v", content, err)
			}
		})
	}
}

// The texts to fetch are bounded in number and bytes, and counted in the memory of the editor.
func TestTextsAreBounded(t *testing.T) {
	memory := budget.New(maxTextBytes + 1000)
	kept := texts{memory: memory}
	var uris []string
	for i := range maxTexts + 1 {
		uri, ok := kept.add("name", fmt.Sprint(i))
		if !ok {
			t.Fatal("it is not kept")
		}
		uris = append(uris, uri)
	}
	if _, ok := kept.find(uris[0]); ok {
		t.Error("the oldest is still there")
	}
	for i, uri := range uris[1:] {
		if text, ok := kept.find(uri); !ok || text != fmt.Sprint(i+1) {
			t.Errorf("%s is %q", uri, text)
		}
	}
	if uri, ok := kept.add("", strings.Repeat("x", maxTextBytes+1)); ok {
		t.Errorf("a text that is too large is %s", uri)
	}
	if _, ok := kept.add("", strings.Repeat("x", maxTextBytes)); !ok || memory.Used() != maxTextBytes || len(kept.list) != 1 {
		t.Errorf("with the largest text, %d bytes are held, of %d texts", memory.Used(), len(kept.list))
	}
	others := memory.Child(maxTextBytes)
	kept.close()
	if memory.Used() != 0 || !others.Acquire(maxTextBytes) {
		t.Errorf("%d bytes are held in the end", memory.Used())
	}
	if uri, ok := kept.add("", strings.Repeat("x", 2000)); ok {
		t.Errorf("a text that there is no memory for is %s", uri)
	}
}

// A draft goes when its document is closed, or with the editor, but not what somebody has saved.
func TestDrafts(t *testing.T) {
	b := newFakeBackend()
	b.o.TextDir = filepath.Join(t.TempDir(), "texts")
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: shows})
	serving := b.serving
	s := b.session()
	draft := func() string {
		t.Helper()
		if !s.openText(t.Context(), "call.mcp", "call: \n", true) {
			t.Fatal("it was not shown")
		}
		shown := ""
		for _, m := range e.Messages() {
			if m.Method == "window/showDocument" {
				shown, _ = fileuri.ToPath(rawjson.String(m.Params, "uri"))
			}
		}
		return shown
	}
	gone := func(path string) bool {
		_, err := os.Stat(path)
		return os.IsNotExist(err)
	}
	closes := func(path string) {
		t.Helper()
		e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": fileuri.FromPath(path)}})
	}
	closed, saved, left := draft(), draft(), draft()
	if err := os.WriteFile(saved, []byte("call: mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	closes(saved)
	closes(closed)
	e.Vanish()
	<-serving.done // which waits for what removes the closed one
	if !gone(closed) || !gone(left) || gone(saved) {
		t.Errorf("gone are the closed one %v, the one left open %v, the saved one %v", gone(closed), gone(left), gone(saved))
	}
}
