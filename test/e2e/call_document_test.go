//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// issueTools are tools that fakeserver lists and does not know: it answers with what it was sent.
var issueTools = []json.RawMessage{
	json.RawMessage(`{"name":"create_issue","description":"Creates an issue.","inputSchema":{"type":"object","properties":{
		"title":{"type":"string","description":"One line."},"kind":{"type":"string","enum":["bug","wish"]},"body":{"type":"string"},"version":{"type":"string"}},"required":["title"]}}`),
	json.RawMessage(`{"name":"list_issues","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"query":{"type":"string"}}}}`),
}

// withIssues returns a world with a plain editor on a server with issueTools.
func withIssues(t *testing.T) (w *world, d *documents, folder string) {
	t.Parallel()
	w = newWorld(t)
	w.config(servers{"tracker": w.fakeServer("tracker", fakeserver.Script{Tools: issueTools})}.String())
	folder = w.folder("project")
	d = w.edits(in(plainCapabilities, folder))
	d.AwaitMethod("client/registerCapability")
	return w, d, folder
}

// A call is written with completion, checked, run, and its result stands below it.
func TestCallDocument(t *testing.T) {
	_, d, folder := withIssues(t)
	uri := d.open(filepath.Join(folder, "issues.mcp"), "# what we want\ncall: tracker.create_issue\nwith:\n  kind: bogus\n")
	if labels := d.labels(uri, "call: tracker.cre"); !slices.Contains(labels, "tracker.create_issue") {
		t.Errorf("the completions of a target are %q", labels)
	}
	if labels := d.labels(uri, "kind: "); !slices.Equal(labels, []string{"bug", "wish"}) {
		t.Errorf("the completions of an enum are %q", labels)
	}
	d.awaitProblem(t, uri, "title", true)
	d.awaitProblem(t, uri, "bug", true)
	d.change(uri, "kind: bogus", "kind: bug\n  version: 1.10\n  title: Link drops")
	d.awaitProblem(t, uri, "title", false)
	if hover := string(d.ask("textDocument/hover", d.at(uri, "  tit"))); !strings.Contains(hover, "One line.") {
		t.Errorf("the hover of an argument is %s", hover)
	}
	if symbols := string(d.ask("textDocument/documentSymbol", d.at(uri, "call"))); !strings.Contains(symbols, "tracker.create_issue") {
		t.Errorf("the symbols are %s", symbols)
	}
	d.do(uri, "call: tracker", "MCP: Run tracker.create_issue, may change things")
	text := d.until(uri, "the result", func(text string) bool { return strings.Contains(text, "result:") })
	for _, want := range []string{"# what we want\ncall: tracker.create_issue\n", "Link drops", `1.10`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	// Again: the result takes the place of the one before, which nothing reads.
	d.change(uri, "Link drops", "Link is back")
	var lenses []offeredAction
	unmarshalLenses(t, d, uri, &lenses)
	d.run(lenses, "Run")
	text = d.until(uri, "another result", func(text string) bool { return strings.Count(text, "Link is back") > 1 })
	if strings.Count(text, "result:") != 1 || strings.Contains(text, "Link drops") {
		t.Errorf("after the second run:\n%s", text)
	}
}

func unmarshalLenses(t *testing.T, d *documents, uri string, into *[]offeredAction) {
	t.Helper()
	var lenses []struct {
		Command struct {
			Title     string
			Command   string
			Arguments []json.RawMessage
		}
	}
	unmarshal(t, d.ask("textDocument/codeLens", d.at(uri, "")), &lenses)
	for _, l := range lenses {
		a := offeredAction{Title: l.Command.Title}
		a.Command.Command, a.Command.Arguments = l.Command.Command, l.Command.Arguments
		*into = append(*into, a)
	}
}

// awaitRecorded waits until a fake server has got a call with this in its params.
func (w *world) awaitRecorded(d *documents, name, part string) {
	w.t.Helper()
	d.Expect("a call with "+part, func([]fakeeditor.Message) (bool, string) {
		return slices.ContainsFunc(w.recorded(name, "tools/call"), func(m recordedMessage) bool { return strings.Contains(string(m.Params), part) }), ""
	})
}

// Where the call is gone when its result comes, the result is shown without it.
// Fault call-moved.
func TestResultWithoutItsCall(t *testing.T) {
	w, d, folder := withIssues(t)
	uri := d.open(filepath.Join(folder, "gone.mcp"), "call: tracker.hang\n")
	d.do(uri, "call: tracker", "MCP: Run")
	w.awaitRecorded(d, "tracker", `"name":"hang"`)
	d.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	d.ask("editord/stopServer", map[string]any{"server": "tracker"})
	d.Await("a message", func(m fakeeditor.Message) bool {
		return m.Method == "window/showMessage" && strings.Contains(string(m.Params), "tracker.hang")
	})
	if text := d.text(uri); text != "call: tracker.hang\n" {
		t.Errorf("the closed document has become\n%s", text)
	}
}

// An editor may start another client for a document outside of the project. What is answered and decided there counts.
func TestAnotherClientForADocument(t *testing.T) {
	w, d, folder := withIssues(t)
	other := w.edits(in(plainCapabilities))
	uri := d.open(filepath.Join(folder, "ask.mcp"), "call: tracker.ask\nwith:\n  method: elicitation/create\n  params: {message: Who?, requestedSchema: {type: object, properties: {name: {type: string}}}}\n")
	d.do(uri, "call: ", "MCP: Run")
	path := d.awaitShown(".mcp")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	answer := other.openAs(path, strings.Replace(string(text), "name:", "name: Ada", 1))
	other.do(answer, "answer: ", "MCP: Send")
	d.until(uri, "the answer in the result", func(text string) bool { return strings.Contains(text, "Ada") })

	w.write(filepath.Join(folder, ".mcp.json"), servers{"theirs": w.fakeServer("theirs", fakeserver.Script{})}.String())
	d.Await("the question about the server", func(m fakeeditor.Message) bool {
		return m.Method == "window/showMessageRequest" && strings.Contains(string(m.Params), "theirs")
	})
	d.ask("workspace/executeCommand", map[string]any{"command": "editord.showApproval", "arguments": []any{map[string]any{"server": "theirs"}}})
	var question string
	d.await("the question about the server", func() bool {
		for _, uri := range d.shown {
			if strings.Contains(uri, "approval") {
				question, _ = fileuri.ToPath(uri)
			}
		}
		return question != ""
	})
	if text, err = os.ReadFile(question); err != nil {
		t.Fatal(err)
	}
	review := other.openAs(question, string(text))
	var actions []offeredAction
	unmarshal(t, other.ask("textDocument/codeAction", other.at(review, "#")), &actions)
	if len(actions) != 2 || !strings.HasPrefix(actions[1].Title, "Allow") {
		t.Fatalf("the other client is offered %s", marshal(actions))
	}
	other.ask("workspace/executeCommand", map[string]any{"command": actions[1].Command.Command, "arguments": actions[1].Command.Arguments})
	await(t, "the server runs", func() bool {
		var list struct{ Servers []editorapi.Server }
		unmarshal(t, d.ask("editord/servers", map[string]any{}), &list)
		return slices.ContainsFunc(list.Servers, func(s editorapi.Server) bool { return s.Name == "theirs" && s.State == editorapi.ServerReady })
	})
}
