//go:build linux || darwin

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// An editor that knows nothing of MCP passes neither arguments nor where the user is. What it has open says
// that, and what it gives itself counts first.
func TestBindInAPlainClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fake := w.fakeServer("fake", fakeserver.Script{})
	fake["tools"] = object{
		"echo": object{"bind": object{"where": "${relativeFile}:${lineNumber}", "text": "${selectedText}", "language": "${languageId}"}},
		"*":    object{"bind": object{"text": "of the pattern", "nowhere": "x"}},
	}
	w.config(servers{"fake": fake}.String())
	folder := w.folder("project")
	e := w.attach(in(codeActions, folder))
	await(t, "the server is ready", func() bool { return server(e, "fake").State == "ready" })
	uri := fileuri.FromPath(filepath.Join(folder, "src", "a b.go"))
	e.Notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "go", "version": 1, "text": "one\ntwo\nthree\n"}})
	request(e, "textDocument/codeAction", object{
		"textDocument": object{"uri": uri}, "context": object{"diagnostics": []any{}},
		"range": object{"start": object{"line": 1, "character": 0}, "end": object{"line": 2, "character": 2}},
	}, nil)
	run := func(arguments ...any) {
		request(e, "workspace/executeCommand", object{"command": "mcp.tool.fake.echo", "arguments": arguments}, nil)
	}
	run()
	run(object{"text": "mine", "where": nil})
	await(t, "the server was called twice", func() bool { return len(w.recorded("fake", "tools/call")) == 2 })
	var got []string
	for _, call := range w.recorded("fake", "tools/call") {
		got = append(got, string(rawjson.Get(call.Params, "arguments")))
	}
	first, second := `{"language":"go","text":"two\nth","where":"src/a b.go:2"}`, `{"text":"mine","where":null,"language":"go"}`
	if got[0] != first && got[1] != first {
		t.Errorf("neither call has %s: %s", first, got)
	}
	if got[0] != second && got[1] != second {
		t.Errorf("neither call has %s: %s", second, got)
	}
}
