package editorapi

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const configURI = "file:///w/.mcp.json"

// configured returns an editor that has a configuration file open with one server.
func configured(t *testing.T, server Server, capabilities string, answers map[string]fakeeditor.Answer) (*fakeeditor.Editor, *fakeBackend) {
	t.Helper()
	b := newFakeBackend()
	b.o.TextDir = filepath.Join(t.TempDir(), "texts")
	b.servers = []Server{server}
	text, span := inFile(plainEntry)
	b.configFile = func(uri, _ string) (ConfigFile, bool) {
		known := b.Servers()[0]
		return ConfigFile{Servers: []ConfigServer{{
			Name: "x", Key: textdoc.Span{Start: span.Start, End: span.Start + 3}, Entry: span, Saved: true, Server: &known, Approval: known.Approval,
		}}}, uri == configURI
	}
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(capabilities), Answers: answers})
	openDocument(e, configURI, text)
	return e, b
}

func waiting() Server {
	return Server{Name: "x", State: ServerNeedsApproval, Approval: &ApproveParams{
		Kind: ApproveServer, Server: "x", Digest: "d1", Reason: ApprovalNew,
		Text: ApprovalText{Title: `May the MCP server "x" run?`, Whole: "Program: npx\nProgram: npx"},
	}}
}

// The problems and the lenses of a server say in what state it is, and what can be done.
func TestConfigShowsServers(t *testing.T) {
	denied := waiting()
	denied.Error = &ServerError{Kind: ServerDenied, Message: "it was denied"}
	for _, test := range []struct {
		name            string
		server          Server
		problem, lenses string
	}{
		{"waiting", waiting(), `2 needsApproval "x" has not been allowed to run; look at it, then allow or deny it with a code action`, "Needs approval, Review… editord.showApproval"},
		{"denied", denied, `3 denied "x" was denied and does not run; to allow it, take a code action here`, "Denied, Review… editord.showApproval"},
		{"in a folder that is not trusted", Server{Name: "x", State: ServerNeedsApproval, Error: &ServerError{Kind: ServerDenied, Message: "trust the folder"}}, `3 denied "x" does not run: trust the folder`, "Denied"},
		{"ready", Server{Name: "x", State: ServerReady, SignedIn: &SignedIn{}}, "", "Ready, 2 tools, Restart editord.restartServer, Stop editord.stopServer"},
		{"with a problem", Server{Name: "x", State: ServerReady, Problems: []string{"roots are left out"}}, `3  "x" runs, but: roots are left out`, "Ready, 2 tools, Restart editord.restartServer, Stop editord.stopServer"},
		{"failed", Server{Name: "x", State: ServerFailed, Error: &ServerError{Kind: ServerExit, Message: "it\x1b ended"}}, `2 failed "x" has failed: it\u{1b} ended`, "Failed, Start editord.startServer, Show Log editord.showServerLog"},
		{"stopped", Server{Name: "x", State: ServerStopped}, "", "Stopped, Start editord.startServer, Show Log editord.showServerLog"},
		{"starting", Server{Name: "x", State: ServerStarting}, "", "Starting, Stop editord.stopServer, Show Log editord.showServerLog"},
		{"to sign in", Server{Name: "x", State: ServerNeedsSignIn, Error: &ServerError{Kind: ServerSignInNeeded, Message: "sign in"}}, `2 needsSignIn "x" waits: sign in`, "Needs you to sign in, Sign In… editord.signIn, Show Log editord.showServerLog"},
		{"run by another client", Server{Name: "x", State: ServerDisabled, RunBy: "VS Code"}, "", "Run by VS Code"},
		{"disabled", Server{Name: "x", State: ServerDisabled}, "", "Disabled, Enable editord.enableServer, Show Log editord.showServerLog"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, b := configured(t, test.server, `{}`, nil)
			b.setCatalogs(listing{Server: test.server, Tools: raw(`{"name":"a"}`, `{"name":"b"}`)})
			answer := requested(t, e, "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": configURI}})
			var lenses []string
			for l := range rawjson.Elements(answer) {
				command := rawjson.Get(l, "command")
				if id := rawjson.String(command, "command"); id != "" && rawjson.String(first(rawjson.Get(command, "arguments")), "server") != "x" {
					t.Errorf("%s has the argument %s", id, rawjson.Get(command, "arguments"))
				}
				lenses = append(lenses, strings.TrimSpace(rawjson.String(command, "title")+" "+rawjson.String(command, "command")))
			}
			if got := strings.Join(lenses, ", "); got != test.lenses {
				t.Errorf("lenses\n got %s\nwant %s", got, test.lenses)
			}
			if test.problem == "" {
				return
			}
			told := e.AwaitMethod("textDocument/publishDiagnostics")
			p := first(rawjson.Get(told.Params, "diagnostics"))
			if got := string(rawjson.Get(p, "severity")) + " " + rawjson.String(p, "code") + " " + rawjson.String(p, "message"); got != test.problem {
				t.Errorf("problem\n got %s\nwant %s", got, test.problem)
			}
			if got := string(rawjson.Path(p, "range", "end")); got != `{"line":2,"character":7}` {
				t.Errorf("the problem ends at %s", got)
			}
		})
	}
}

func first(list []byte) json.RawMessage {
	for element := range rawjson.Elements(list) {
		return element
	}
	return nil
}

// Where another definition of the name counts, the problem says which.
func TestConfigSaysWhatCountsInstead(t *testing.T) {
	for instead, want := range map[string]string{
		"file:///w/.mcp.json": `"x" has no effect here: the one in /w/.mcp.json counts`,
		SourceEditor:          `"x" has no effect here: the editor passes a server of that name, which counts`,
		"":                    "",
	} {
		got := ""
		for _, p := range (ConfigServer{Name: "x", Instead: instead}).problems() {
			got += p.Message
		}
		if got != want {
			t.Errorf("%s: got %s", instead, got)
		}
	}
}

// A decision is about the digest that the action had, and Allow is never the first action.
func TestConfigDecides(t *testing.T) {
	decisions := make(chan string, 10)
	e, b := configured(t, waiting(), `{"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}`, nil)
	b.approve = func(server, digest string, decision Decision) error {
		decisions <- server + " " + digest + " " + string(decision)
		return nil
	}
	ask := map[string]any{"textDocument": map[string]any{"uri": configURI}, "range": Range{Position{2, 5}, Position{2, 5}}, "context": map[string]any{"diagnostics": []any{}}}
	answer := requested(t, e, "textDocument/codeAction", ask)
	for a := range rawjson.Elements(answer) {
		if rawjson.String(a, "kind") != "quickfix" || rawjson.Get(a, "isPreferred") != nil {
			t.Errorf("an editor may run %s by itself", a)
		}
		if title := rawjson.String(a, "title"); !strings.HasPrefix(title, "Show") {
			execute(t, e, json.RawMessage(rawjson.Get(a, "command")))
		}
	}
	if got, want := titles(answer), []string{"Show All of It", `Deny "x"`, `Allow "x" to Run`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := []string{<-decisions, <-decisions}, []string{"x d1 deny", "x d1 allow"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []string{`{}`, `{"server":"x"}`, `{"digest":"d1"}`, `{"server":1,"digest":"d1"}`} {
		if _, err := e.Request("workspace/executeCommand", json.RawMessage(`{"command":"editord.allowServer","arguments":[`+bad+`]}`)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	if len(decisions) > 0 {
		t.Errorf("got %q", <-decisions)
	}
}

// The whole question is a document. It offers the decision as long as it is what would be asked now.
func TestWholeQuestionDecides(t *testing.T) {
	const lsp = `{"window":{"showDocument":{"support":true}},"workspace":{"textDocumentContent":{}},"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}`
	for name, capabilities := range map[string]string{
		"in a plain client": lsp + `}`, "in an editor that asks by itself": lsp + `,"experimental":{"mcp":{"approval":{}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, b := configured(t, waiting(), capabilities, shows)
			execute(t, e, json.RawMessage(`{"command":"editord.showApproval","arguments":[{"server":"x"}]}`))
			uri := rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri")
			if strings.Contains(name, "plain") {
				if said := said(e); !strings.Contains(said, "code action") {
					t.Errorf("it says %q", said)
				}
			}
			answer, err := e.Request("workspace/textDocumentContent", map[string]string{"uri": uri})
			text := rawjson.String(answer, "text")
			if err != nil || !strings.Contains(text, "Program: npx") {
				t.Fatalf("the document is %q, %v", text, err)
			}
			if got := titlesIn(t, e, uri, text); got != `Deny "x", Allow "x" to Run` {
				t.Errorf("the document offers %s", got)
			}
			file := fileuri.FromPath(filepath.Join(b.o.TextDir, "result-1.txt")) // where the editor fetches no texts
			if got := titlesIn(t, e, file, strings.ReplaceAll(text, "\n", "\r\n")); got != `Deny "x", Allow "x" to Run` {
				t.Errorf("the file offers %s", got)
			}
			if got := titlesIn(t, e, uri, text+"\nIt is safe.\n"); strings.Contains(got, "Allow") {
				t.Errorf("a document that was edited offers %s", got)
			}
			if got := titlesIn(t, e, "file:///w/question.txt", text); strings.Contains(got, "Allow") {
				t.Errorf("a document of somebody else offers %s", got)
			}
			if count(e, "window/showMessageRequest") > 0 {
				t.Error("a box asks beside the document")
			}
			changed := waiting()
			changed.Approval.Text.Whole, changed.Approval.Digest = "Program: evil", "d2"
			b.setServers(changed)
			if got := titlesIn(t, e, uri, text); strings.Contains(got, "Allow") {
				t.Errorf("an old question offers %s", got)
			}
		})
	}
}

// What a project writes into its file does not fold a part of the question away where an editor opens it.
// Fault hostile-buffer.
func TestPromise1WholeQuestionHasNoSettings(t *testing.T) {
	e, _ := configured(t, func() Server {
		s := waiting()
		s.Approval.Text.Whole = "Program: npx\nArgument: \"{{{\"\nArgument: \"evil\"\nArgument: \"}}} vim: set fdm=marker fdl=0:\""
		return s
	}(), `{"window":{"showDocument":{"support":true}},"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}}`, shows)
	execute(t, e, json.RawMessage(`{"command":"editord.showApproval","arguments":[{"server":"x"}]}`))
	uri, text := shownFile(t, e)
	if !strings.Contains(text, `}}} vim\u{3a} set fdm=marker`) {
		t.Errorf("the document is %q", text)
	}
	if got := titlesIn(t, e, uri, text); got != `Deny "x", Allow "x" to Run` {
		t.Errorf("the document offers %s", got)
	}
}

// titlesIn returns the titles of the actions that an editor is offered at the beginning of a document.
func titlesIn(t *testing.T, e *fakeeditor.Editor, uri, text string) string {
	t.Helper()
	openDocument(e, uri, text)
	answer := requested(t, e, "textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri}, "range": Range{}, "context": map[string]any{"diagnostics": []any{}}})
	return strings.Join(titles(answer), ", ")
}

// The log of a server opens as a document.
func TestShowServerLogOpens(t *testing.T) {
	e, _ := configured(t, Server{Name: "x", State: ServerReady}, `{"window":{"showDocument":{"support":true}},"workspace":{"textDocumentContent":{}},"experimental":{"mcp":{}}}`, shows)
	execute(t, e, json.RawMessage(`{"command":"editord.showServerLog","arguments":[{"server":"x","open":true}]}`))
	uri := rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri")
	answer, err := e.Request("workspace/textDocumentContent", map[string]string{"uri": uri})
	if text := rawjson.String(answer, "text"); err != nil || text == "" {
		t.Errorf("got %q, %v", text, err)
	}
}

// Lenses say what servers do, so they are asked for again when that changes.
func TestLensesFollowServers(t *testing.T) {
	refreshed := make(chan struct{}, 1)
	e, b := configured(t, Server{Name: "x", State: ServerStarting}, `{"workspace":{"codeLens":{"refreshSupport":true}}}`, map[string]fakeeditor.Answer{
		"workspace/codeLens/refresh": func(json.RawMessage) (any, error) { refreshed <- struct{}{}; return nil, nil },
	})
	await(t, e, func() bool { return true })
	b.theEditor().ServerChanged(Server{Name: "x", State: ServerReady})
	<-refreshed
}
