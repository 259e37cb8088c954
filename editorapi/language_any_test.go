package editorapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const anyTools = `[
	{"name":"explain","annotations":{"readOnlyHint":true,"title":"Explain Code"},"inputSchema":{"properties":{"code":{"type":"string"},"depth":{"type":"number"}},"required":["code"]}},
	{"name":"rewrite","inputSchema":{"properties":{"code":{"type":"string"}},"required":["code"]}},
	{"name":"search","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"query":{"type":"string"},"limit":{"type":"number"}}}},
	{"name":"create","inputSchema":{"properties":{"title":{"type":"string"},"code":{"type":"string"}},"required":["title","code"]}},
	{"name":"ping","inputSchema":{}},
	{"name":"say","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"who":{"type":"string"},"message":{"type":"string"}},"required":["who","message"]}}
]`

// callAction is a code action that calls a tool.
type callAction struct {
	Title, Kind string
	Command     struct {
		Command   string
		Arguments []callParams
	}
}

// actionsAt returns the code actions for a range of a document.
func actionsAt(t *testing.T, e *fakeeditor.Editor, uri, from, to, only string) (actions []callAction) {
	t.Helper()
	result := requested(t, e, "textDocument/codeAction", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"range":{"start":%s,"end":%s},"context":{"diagnostics":[]%s}}`, uri, from, to, only)))
	if err := json.Unmarshal(result, &actions); err != nil {
		t.Fatalf("%v: %s", err, result)
	}
	return actions
}

func TestActionsForASelection(t *testing.T) {
	const uri = "file:///w/a.go"
	b := newFakeBackend()
	b.bound = map[string]Bound{"who": {Text: "you", Pattern: true}}
	b.setCatalogs(listing{Server: Server{Name: "s", State: ServerReady}, Tools: elementsOf(anyTools)})
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(`{"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}`)})
	openDocument(e, uri, "one\ntwo\n")

	actions := actionsAt(t, e, uri, `{"line":0,"character":0}`, `{"line":1,"character":0}`, "")
	var titles []string
	for _, a := range actions {
		titles = append(titles, a.Title)
		if a.Kind != "source.mcp.call" || a.Command.Command != "mcp.call" {
			t.Errorf("%s is %s, %s", a.Title, a.Kind, a.Command.Command)
		}
	}
	want := []string{"MCP: Call…", "MCP: s: Explain Code", "MCP: s: rewrite…", "MCP: s: search", "MCP: s: say"}
	if !slices.Equal(titles, want) {
		t.Fatalf("the actions are %q, want %q", titles, want)
	}
	if p := actions[1].Command.Arguments[0]; p.Server != "s" || p.Tool != "explain" || p.Edit || string(p.Arguments) != `{"code":"one\n"}` {
		t.Errorf("what only reads is called: %+v %s", p, p.Arguments)
	}
	if p := actions[2].Command.Arguments[0]; !p.Edit || string(p.Arguments) != `{"code":"one\n"}` {
		t.Errorf("what may change things is shown before: %+v %s", p, p.Arguments)
	}
	if p := actions[4].Command.Arguments[0]; string(p.Arguments) != `{"who":"you","message":"one\n"}` {
		t.Errorf("the selection is not beside what the configuration binds: %s", p.Arguments)
	}

	if actions := actionsAt(t, e, uri, `{"line":0,"character":1}`, `{"line":0,"character":1}`, ""); len(actions) != 1 {
		t.Errorf("without a selection there are %d actions", len(actions))
	}
	if actions := actionsAt(t, e, uri, `{"line":0,"character":0}`, `{"line":1,"character":0}`, `,"only":["source"]`); len(actions) != len(want) {
		t.Errorf("of source actions there are %d", len(actions))
	}
	if actions := actionsAt(t, e, uri, `{"line":0,"character":0}`, `{"line":1,"character":0}`, `,"only":["refactor","source.mcpx"]`); len(actions) != 0 {
		t.Errorf("of other kinds there are %d", len(actions))
	}
}

// An editor that does not know CodeAction gets commands.
func TestActionsAsCommands(t *testing.T) {
	const uri = "file:///w/a.go"
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{})
	openDocument(e, uri, "one\n")
	result, rpc := e.Request("textDocument/codeAction", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"context":{"diagnostics":[]}}`))
	if rpc != nil || !strings.HasPrefix(string(result), `[{"arguments":[{`) || !strings.Contains(string(result), `"command":"mcp.call","title":"MCP: Call…"`) {
		t.Errorf("the actions are %s, %v", result, rpc)
	}
}

func elementsOf(list string) (elements []json.RawMessage) {
	for e := range rawjson.Elements([]byte(list)) {
		elements = append(elements, e)
	}
	return elements
}

// A selection is in each of the actions, so a large one is in none: an editor asks for them whenever the selection changes.
func TestActionsForALargeSelection(t *testing.T) {
	const uri = "file:///w/a.go"
	b := newFakeBackend()
	b.setCatalogs(listing{Server: Server{Name: "s", State: ServerReady}, Tools: elementsOf(anyTools)})
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(`{"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}`)})
	for size, want := range map[int][]string{
		maxSelection:     {"MCP: Call…", "MCP: s: Explain Code", "MCP: s: rewrite…", "MCP: s: search"},
		maxSelection + 1: {"MCP: Call…"},
	} {
		openDocument(e, uri, strings.Repeat("x", size))
		var titles []string
		for _, a := range actionsAt(t, e, uri, `{"line":0,"character":0}`, fmt.Sprintf(`{"line":0,"character":%d}`, size), "") {
			titles = append(titles, a.Title)
		}
		if !slices.Equal(titles, want) {
			t.Errorf("for %d bytes there are %q, want %q", size, titles, want)
		}
	}
}

// The symbols of a document are a flat list for a client that does not know nested ones.
func TestSymbolsThatAreNotNested(t *testing.T) {
	const uri = "file:///w/a.mcp"
	e, _ := opened(t, newFakeBackend(), uri, "call: s.t\nwith:\n  a: 1\n")
	symbols, err := e.Request("textDocument/documentSymbol", json.RawMessage(`{"textDocument":{"uri":"`+uri+`"}}`))
	var list []struct {
		Name     string
		Location struct{ URI string }
	}
	if err != nil || json.Unmarshal(symbols, &list) != nil || len(list) == 0 || list[0].Location.URI != uri {
		t.Errorf("the symbols are %s, %v", symbols, err)
	}
}
