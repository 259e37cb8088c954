//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// showsDocuments is a plain LSP client that shows documents and knows code actions.
const showsDocuments = `{"window":{"showDocument":{"support":true}},"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[]}}}}}`

// openDocument writes a file and opens it, and returns its URI.
func (w *world) openDocument(e *fakeeditor.Editor, path, text string) (uri string) {
	w.t.Helper()
	w.write(path, text)
	uri = fileuri.FromPath(path)
	e.Notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": strings.TrimPrefix(filepath.Ext(path), "."), "version": 1, "text": text}})
	return uri
}

// offered returns the code actions of a document whose titles begin like this, at the beginning of a line.
func offered(e *fakeeditor.Editor, uri string, line int, title string) (commands []json.RawMessage) {
	var all []struct {
		Title   string
		Command json.RawMessage
	}
	at := object{"line": line, "character": 5}
	request(e, "textDocument/codeAction", object{"textDocument": object{"uri": uri}, "range": object{"start": at, "end": at}, "context": object{"diagnostics": []any{}}}, &all)
	for _, a := range all {
		if strings.HasPrefix(a.Title, title) {
			commands = append(commands, a.Command)
		}
	}
	return commands
}

// awaitShown waits until the editor was asked to show a document with this in its URI, and returns its path.
func awaitShown(e *fakeeditor.Editor, part string) (path string) {
	e.Await("a document "+part, func(m fakeeditor.Message) bool {
		uri := rawjson.String(m.Params, "uri")
		path, _ = fileuri.ToPath(uri)
		return m.Method == "window/showDocument" && strings.Contains(uri, part)
	})
	return path
}

// Where the call is gone when its result comes, the result is shown without it.
// Fault call-moved.
func TestResultWithoutItsCall(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}})
	folder := w.folder("project")
	e := w.attach(in(showsDocuments, folder))
	awaitNow(e, "fake", "ready")
	uri := w.openDocument(e, filepath.Join(folder, "gone.mcp"), "call: fake.hang\n")
	request(e, "workspace/executeCommand", offered(e, uri, 0, "MCP: Run")[0], nil)
	await(t, "the server has the call", func() bool { return len(w.recorded("fake", "tools/call")) == 1 })
	e.Notify("textDocument/didClose", object{"textDocument": object{"uri": uri}})
	request(e, "editord/stopServer", object{"server": "fake"}, nil)
	e.Await("a message", func(m fakeeditor.Message) bool {
		return m.Method == "window/showMessage" && strings.Contains(string(m.Params), "fake.hang")
	})
}

// An editor may start another client for a document outside of the project. What is answered and decided there counts.
func TestAnotherClientForADocument(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}})
	folder := w.folder("project")
	shows := func(folders ...string) *fakeeditor.Editor {
		o := in(showsDocuments, folders...)
		o.Answers = answers{"window/showDocument": always(`{"success":true}`)}
		return w.attach(o)
	}
	e, other := shows(folder), shows()
	awaitNow(e, "fake", "ready")
	request(e, "workspace/executeCommand", object{"command": "mcp.tool.fake.ask_elicitation", "arguments": []any{object{"params": json.RawMessage(rawjson.Get([]byte(askWord), "params"))}}}, nil)
	question := awaitShown(e, "question-")
	text, err := os.ReadFile(question)
	if err != nil {
		t.Fatal(err)
	}
	uri := w.openDocument(other, question, strings.Replace(string(text), "word:", "word: plum", 1))
	request(other, "workspace/executeCommand", offered(other, uri, 0, "MCP: Send")[0], nil)
	e.Await("the answer in the result", func(fakeeditor.Message) bool { return strings.Contains(seenBy(e), "plum") })

	w.workspaceFile(folder, servers{"theirs": w.fakeServer("theirs", fakeserver.Script{})})
	await(t, "the daemon has read of the server", func() bool { return slices.Contains(configured(e), "theirs") })
	request(e, "workspace/executeCommand", object{"command": "editord.showApproval", "arguments": []any{object{"server": "theirs"}}}, nil)
	review := awaitShown(e, "approval")
	if text, err = os.ReadFile(review); err != nil {
		t.Fatal(err)
	}
	other.Notify("textDocument/didOpen", object{"textDocument": object{"uri": fileuri.FromPath(review), "languageId": "mcp", "version": 1, "text": string(text)}})
	allow := offered(other, fileuri.FromPath(review), 0, "Allow")
	if len(allow) != 1 {
		t.Fatalf("of\n%s\nthe other client is offered %s", text, allow)
	}
	request(other, "workspace/executeCommand", allow[0], nil)
	awaitNow(e, "theirs", "ready")
}
