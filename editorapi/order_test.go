package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// appends has an editor append a word to a document of one line, and call that a version.
func appends(e *fakeeditor.Editor, uri string, version int, word string) {
	at := Position{Character: max(0, version-37) * len("v37")}
	e.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": version},
		"contentChanges": []any{map[string]any{"range": Range{at, at}, "text": word}},
	})
}

func saves(e *fakeeditor.Editor, uri, text string) {
	e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}, "text": text})
}

// Changes are made in the order of their versions. The orders are those that Helix 25.01 sends.
func TestOrderOfChanges(t *testing.T) {
	const uri = "file:///w/a.mcp"
	for name, test := range map[string]struct {
		versions []int
		save     string
		want     string
		doubt    bool
	}{
		"in order":                   {versions: []int{37, 38, 39}, want: "v37v38v39"},
		"overtaken":                  {versions: []int{38, 39, 37, 42, 41, 40}, want: "v37v38v39v40v41v42"},
		"one is missing":             {versions: []int{38, 39, 37, 42, 41}, want: "v37v38v39"},
		"one comes too late":         {versions: []int{37, 39, 38, 37}, want: "v37v38v39", doubt: true},
		"a save heals":               {versions: []int{37, 39, 38, 37}, save: "saved", want: "saved"},
		"a save has what is missing": {versions: []int{38, 39, 37, 42, 41}, save: "saved", want: "saved"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBackend()
			b.o.OrderWait = time.Hour
			e := open(t, b, fakeeditor.Options{})
			s := b.session()
			e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "mcp", "version": 36, "text": ""}})
			for _, version := range test.versions {
				appends(e, uri, version, fmt.Sprint("v", version))
			}
			if test.save != "" {
				saves(e, uri, test.save)
			}
			await(t, e, func() bool { return s.document(uri) != nil })
			if d := s.document(uri); d.text.String() != test.want || d.doubt != test.doubt {
				t.Errorf("the text is %q, in doubt: %v", d.text.String(), d.doubt)
			}
		})
	}
}

// Versions may jump, and a jump alone is no doubt: a request waits a moment for what is missing, and then sees what there is.
func TestVersionsThatJump(t *testing.T) {
	const uri = "file:///w/a.mcp"
	b := newFakeBackend()
	b.o.OrderWait = time.Millisecond
	e, s := opened(t, b, uri, "call: s.t")
	e.Notify("textDocument/didChange", json.RawMessage(`{"textDocument":{"uri":"`+uri+`","version":5},"contentChanges":[{"text":"call: s.other"}]}`))
	symbols, err := e.Request("textDocument/documentSymbol", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"}}`))
	if err != nil || !strings.Contains(string(symbols), "s.other") {
		t.Errorf("the symbols are %s, %v", symbols, err)
	}
	if d := s.document(uri); d.doubt || d.version != 5 {
		t.Errorf("the document is %+v", d)
	}
}

// A change that comes after a save has replaced a text in doubt may be in it already.
func TestChangeBesideASaveThatHeals(t *testing.T) {
	const uri = "file:///w/a.mcp"
	for name, test := range map[string]struct {
		version int
		doubt   bool
	}{"an old one": {2, false}, "a new one": {9, true}} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBackend()
			b.o.OrderWait = time.Hour
			e, s := opened(t, b, uri, "")
			change := func(version int) {
				e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version},
					"contentChanges": []any{map[string]any{"range": Range{}, "text": "x"}}})
			}
			change(3)
			saves(e, uri, "saved")
			change(test.version)
			await(t, e, func() bool { return s.document(uri).doubt == test.doubt && s.document(uri).text.String() == "saved" })
		})
	}
}

// A tool gets no text that is in doubt, and none that its file does not have after a save.
func TestRunOfATextThatNobodyWrote(t *testing.T) {
	const text = "call: s.t\n"
	for name, test := range map[string]struct {
		onDisk string
		do     func(e *fakeeditor.Editor, uri string)
		want   string // of the error; "" for none
	}{
		"as it is on the disk":  {onDisk: text},
		"but for its line ends": {onDisk: "call: s.t\r\n\r\n"},
		"another file":          {onDisk: "call: s.other\n", want: "another text than the file"},
		"changed since":         {onDisk: "call: s.other\n", do: func(e *fakeeditor.Editor, uri string) { appends(e, uri, 2, "") }},
		"saved again": {onDisk: text, do: func(e *fakeeditor.Editor, uri string) {
			appends(e, uri, 2, "")
			saves(e, uri, text)
		}},
		"in doubt": {onDisk: text, do: func(e *fakeeditor.Editor, uri string) {
			appends(e, uri, 2, "")
			appends(e, uri, 1, "")
		}, want: "out of order; save the document"},
	} {
		t.Run(name, func(t *testing.T) {
			called := make(chan struct{}, 1)
			b := withTool(func(context.Context, Call) (json.RawMessage, error) {
				called <- struct{}{}
				return json.RawMessage(`{"content":[]}`), nil
			})
			path := filepath.Join(t.TempDir(), "a.mcp")
			if err := os.WriteFile(path, []byte(test.onDisk), 0o600); err != nil {
				t.Fatal(err)
			}
			uri := fileuri.FromPath(path)
			e := open(t, b, fakeeditor.Options{})
			openDocument(e, uri, text)
			if test.do != nil {
				test.do(e, uri)
			}
			_, err := e.Request("workspace/executeCommand", json.RawMessage(`{"command":"mcp.run","arguments":[{"textDocument":{"uri":"`+uri+`"}}]}`))
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				<-called
				return
			}
			if err == nil || !strings.Contains(err.Message, test.want) {
				t.Errorf("the error is %v", err)
			}
			if len(called) > 0 {
				t.Error("it was sent")
			}
		})
	}
}
