package editorapi

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// A result is not lost in an editor that says that it has put it into the document, and has not.
func TestResultThatIsNotInTheDocument(t *testing.T) {
	t.Parallel() // it takes as long as an editor may take
	const uri = "file:///w/a.mcp"
	b := withTool(func(context.Context, Call) (json.RawMessage, error) {
		return json.RawMessage(`{"content":[{"type":"text","text":"the result"}]}`), nil
	})
	b.setServers(Server{Name: "s", State: ServerReady})
	b.o.TextDir = t.TempDir()
	if err := os.Chmod(b.o.TextDir, 0o700); err != nil {
		t.Fatal(err)
	}
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: map[string]fakeeditor.Answer{
		"workspace/applyEdit": func(json.RawMessage) (any, error) { return map[string]bool{"applied": true}, nil },
		"window/showDocument": func(json.RawMessage) (any, error) { return map[string]bool{"success": true}, nil },
	}})
	openDocument(e, uri, "call: s.t\n")
	if _, err := e.Request("workspace/executeCommand", json.RawMessage(`{"command":"mcp.run","arguments":[{"textDocument":{"uri":"`+uri+`"},"call":0}]}`)); err != nil {
		t.Fatal(err)
	}
	path, err := fileuri.ToPath(rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "the result\n" {
		t.Errorf("the document has %q, %v", text, err)
	}
}
