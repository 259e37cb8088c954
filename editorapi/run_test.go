package editorapi

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// A result is not lost in an editor that says that it has put it into the document, and has not.
func TestResultThatIsNotInTheDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as an editor may take")
	}
	t.Parallel()
	const uri = "file:///w/a.mcp"
	b := withTool(returns("the result"))
	b.o.TextDir = filepath.Join(t.TempDir(), "texts")
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: map[string]fakeeditor.Answer{
		"workspace/applyEdit": always(map[string]bool{"applied": true}),
		"window/showDocument": success,
	}})
	openDocument(e, uri, "call: s.t\n")
	runCall(t, e, uri)
	if _, text := shownFile(t, e); text != "the result\n" {
		t.Errorf("the document has %q", text)
	}
}

// An edit that an editor has lost is made again, where the editor has read what came after it and knows for which
// text the edit is.
func TestResultThatIsLost(t *testing.T) {
	t.Parallel() // it takes as long as an editor may take
	const uri = "file:///w/a.mcp"
	b := withTool(returns("the result"))
	lost := make(chan struct{})
	defer close(lost)
	var edits atomic.Int32
	e := open(t, b, fakeeditor.Options{
		Capabilities: json.RawMessage(`{"workspace":{"configuration":true,"workspaceEdit":{"documentChanges":true}}}`),
		Answers: map[string]fakeeditor.Answer{
			"workspace/configuration": always([]any{}),
			"workspace/applyEdit": func(json.RawMessage) (any, error) {
				if edits.Add(1) == 1 {
					<-lost
				}
				return map[string]bool{"applied": true}, nil
			},
		},
	})
	openDocument(e, uri, "call: s.t\n")
	runCall(t, e, uri)
	first := e.AwaitMethod("workspace/applyEdit")
	second := e.Await("the edit again", func(m fakeeditor.Message) bool {
		return m.Method == "workspace/applyEdit" && string(m.ID) != string(first.ID)
	})
	if string(second.Params) != string(first.Params) || !strings.Contains(string(first.Params), `"version":1`) {
		t.Errorf("the edit was %s, and then %s", first.Params, second.Params)
	}
}

// A result that comes while somebody writes a line of its call waits for the rest of the line, and no document opens that would
// take his keys. It does not wait for ever.
func TestResultWhileItsCallIsWritten(t *testing.T) {
	const uri = "file:///w/a.mcp"
	for name, timeout := range map[string]time.Duration{"applyEdit": time.Hour, "showDocument": time.Nanosecond} {
		t.Run(name, func(t *testing.T) {
			running, finish, finished := make(chan struct{}), make(chan struct{}), make(chan struct{})
			b := withTool(func(ctx context.Context, c Call) (json.RawMessage, error) {
				defer close(finished)
				close(running)
				<-finish
				return returns("the result")(ctx, c)
			})
			b.o.WritingTimeout, b.o.TextDir = timeout, filepath.Join(t.TempDir(), "texts")
			e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: map[string]fakeeditor.Answer{
				"workspace/applyEdit": always(map[string]bool{"applied": false}),
				"window/showDocument": success,
			}})
			openDocument(e, uri, "call: s.t\n")
			runCall(t, e, uri)
			<-running
			write := func(version int, text string) {
				e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
				await(t, e, func() bool { return true })
			}
			write(2, "call: s.t\nwi")
			close(finish)
			<-finished
			if name == "applyEdit" {
				write(3, "call: s.t\nwith")
				write(4, "call: s.t\nwith: {}\n")
			}
			first := e.Await("the result", func(m fakeeditor.Message) bool {
				return m.Method == "workspace/applyEdit" || m.Method == "window/showDocument"
			})
			if !strings.HasSuffix(first.Method, name) {
				t.Errorf("the result comes by %s", first.Method)
			}
		})
	}
}

// A call that its document marks as incomplete is not sent.
func TestRunIncomplete(t *testing.T) {
	const uri = "file:///w/a.mcp"
	const tool = `{"name":"t","inputSchema":{"properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"string"},"d":{"type":"string","default":"x"}},"required":["a","b","d","root"]}}`
	for name, c := range map[string]struct{ text, want string }{
		"complete":           {"call: s.t\nwith: {a: x, b: null}\n", "sent"},
		"missing":            {"call: s.t\nwith: {b: x}\n", `\"a\" is missing`},
		"nothing is written": {"call: s.t\nwith:\n  a:\n  b: x\n", `\"a\" is missing`},
		"a prompt":           {"prompt: s.p\n", `\"topic\" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			b := withTool(returns("sent"))
			b.bound = map[string]Bound{"root": {Text: "/w"}}
			b.setCatalogs(listing{Server: Server{Name: "s", State: ServerReady}, Tools: raw(tool), Prompts: raw(`{"name":"p","arguments":[{"name":"topic","required":true}]}`)})
			e := open(t, b, fakeeditor.Options{})
			openDocument(e, uri, c.text)
			runCall(t, e, uri)
			if edit := string(e.AwaitMethod("workspace/applyEdit").Params); !strings.Contains(edit, c.want) {
				t.Errorf("the edit is %s, want %s", edit, c.want)
			}
		})
	}
}
