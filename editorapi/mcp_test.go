package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// Editor protocol, section 3: the result is what the server sent, byte for byte, and so
// are the params on their way to it.
func TestVerbatim(t *testing.T) {
	for _, text := range []string{
		`{"content":[{"type":"text","text":"a"}]}`,
		`{ "n" : 9007199254740993,  "e":1.0E+2,"f":-0.10 }`,
		"{\"b\":1,\n\t\"a\":[ ],\"_meta\":{\"x/y\":null}}",
		`{"type":"hologram","data":{"unknown":[true,{}]}}`,
		`{"s":"\u00e9\/<>&\u2028\ud83d\ude00 é"}`,
		`null`, `[]`, `""`, `1e400`,
	} {
		t.Run(text, func(t *testing.T) {
			b := newFakeBackend()
			b.call = func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(text), nil }
			e := open(t, b, fakeeditor.Options{})
			params := text
			if !rawjson.IsObject([]byte(text)) {
				params = `{ "x": ` + text + ` }`
			}
			if err := e.SendBody(`{"jsonrpc":"2.0","id":"v","method":"mcp/tools/call","params":{"server":"s","params":` + params + `,"other":1}}`); err != nil {
				t.Fatal(err)
			}
			m := e.Await("the answer", func(m fakeeditor.Message) bool { return string(m.ID) == `"v"` })
			wantJSON(t, m.Raw, `{"jsonrpc":"2.0","id":"v","result":`+text+`}`)
			wantJSON(t, b.lastCall(t).Params, params)
		})
	}
}

func TestCallFields(t *testing.T) {
	for _, test := range []struct {
		name, id, method, params string
		check                    func(Call) bool
	}{
		{"the least", `7`, "mcp/ping", `{"server":"s"}`, func(c Call) bool {
			return c.Server == "s" && c.Method == "ping" && c.Params == nil && c.Timeout == 0 && c.Progress == nil &&
				string(c.Cause.ID) == "7" && c.Cause.Command == ""
		}},
		{"string id", `"a\"b"`, "mcp/ping", `{"server":"s"}`, func(c Call) bool { return string(c.Cause.ID) == `"a\"b"` }},
		{"nulls", `7`, "mcp/ping", `{"server":"s","params":null,"context":null,"timeout":null,"workDoneToken":null,"progressToken":null}`, func(c Call) bool {
			return c.Params == nil && c.Timeout == 0 && c.Progress == nil
		}},
		{"timeout", `7`, "mcp/tools/call", `{"server":"s","timeout":60000}`, func(c Call) bool { return c.Timeout == time.Minute }},
		{"part of a millisecond", `7`, "mcp/tools/call", `{"server":"s","timeout":0.5}`, func(c Call) bool { return c.Timeout == 500*time.Microsecond }},
		{"a day", `7`, "mcp/tools/call", `{"server":"s","timeout":86400000}`, func(c Call) bool { return c.Timeout == 24*time.Hour }},
		{"a method of an extension", `7`, "mcp/tasks/get", `{"server":"s","params":{"id":1}}`, func(c Call) bool { return c.Method == "tasks/get" }},
		{"a list", `7`, "mcp/resources/templates/list", `{"server":"s","params":{}}`, func(c Call) bool { return c.Method == "resources/templates/list" }},
		{"a cursor that is not of a list", `7`, "mcp/x/list", `{"server":"s","params":{"cursor":"c"}}`, func(c Call) bool { return c.Method == "x/list" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{})
			if _, err := e.StartID(json.RawMessage(test.id), test.method, json.RawMessage(test.params)).Wait(); err != nil {
				t.Fatal(err)
			}
			if c := b.lastCall(t); !test.check(c) {
				t.Errorf("the call is %+v", c)
			}
		})
	}
}

// Editor protocol, section 6: invalidParams names the member.
func TestInvalidParams(t *testing.T) {
	b := newFakeBackend()
	b.catalogs = []listing{{Server: Server{Name: "s", State: "ready"}, Tools: raw(`{"name":"t"}`), Prompts: raw(`{"name":"p"}`)}}
	b.servers = []Server{{Name: "s", State: "ready"}, {Name: "other", State: "ready"}}
	e := open(t, b, fakeeditor.Options{})
	for _, test := range []struct{ method, params, detail string }{
		{"mcp/tools/call", `{}`, "server"},
		{"mcp/tools/call", `{"server":""}`, "server"},
		{"mcp/tools/call", `{"server":1}`, "server"},
		{"mcp/tools/call", `["s"]`, "params"},
		{"mcp/tools/call", `{"server":"s","params":[1]}`, "params"},
		{"mcp/tools/call", `{"server":"s","timeout":0}`, "timeout"},
		{"mcp/tools/call", `{"server":"s","timeout":"60000"}`, "timeout"},
		{"mcp/tools/call", `{"server":"s","timeout":86400001}`, "timeout"},
		{"mcp/tools/call", `{"server":"s","timeout":1e300}`, "timeout"},
		{"mcp/tools/call", `{"server":"s","context":[]}`, "context"},
		{"mcp/tools/call", `{"server":"s","context":{"range":{"start":{"line":1.5}}}}`, "context.range.start.line"},
		{"mcp/tools/call", `{"server":"s","context":{"textDocument":{"uri":1}}}`, "context.textDocument.uri"},
		{"mcp/tools/call", `{"server":"s","workDoneToken":{}}`, "workDoneToken"},
		{"mcp/tools/call", `{"server":"s","progressToken":{}}`, "progressToken"},
		{"mcp/tools/call", `{"server":"s","progressToken":1,"workDoneToken":2}`, "progressToken"},
		{"mcp/tools/list", `{"server":"s","progressToken":true}`, "progressToken"},
		{"mcp/tools/list", `{"server":"s","params":{"cursor":"x"}}`, "params.cursor"},
		{"mcp/prompts/list", `{"server":"s","params":{"cursor":null}}`, "params.cursor"},
		{"mcp/resources/list", `{"server":"s","params":{"cursor":"x"}}`, "params.cursor"},
		{"mcp/resources/templates/list", `{"server":"s","params":{"cursor":"x"}}`, "params.cursor"},
		{"mcp/initialize", `{"server":"s"}`, "method"},
		{"mcp/roots/list", `{}`, "server"},
		{"editord/startServer", `{}`, "server"},
		{"editord/restartServer", `[]`, "params"},
		{"editord/muteServer", `{}`, "server"},
		{"editord/muteServer", `{"server":"s","muted":"no"}`, "muted"},
		{"editord/serverLog", `{}`, "server"},
		{"editord/serverLog", `{"server":"s","lines":0}`, "lines"},
		{"editord/serverLog", `{"server":"s","lines":1.5}`, "lines"},
		{"editord/serverLog", `{"server":"s","lines":100000}`, "lines"},
		{"editord/approveServer", `{"digest":"d","decision":"allow"}`, "server"},
		{"editord/approveServer", `{"server":"s","decision":"allow"}`, "digest"},
		{"editord/approveServer", `{"server":"s","digest":"d","decision":"later"}`, "decision"},
		{"editord/revokeApproval", `{}`, "digest"},
		{"editord/signIn", `{}`, "server"},
		{"editord/finishSignIn", `{"response":"x"}`, "server"},
		{"editord/finishSignIn", `{"server":"s","response":" "}`, "response"},
		{"editord/catalog", `{"server":1}`, "server"},
		{"editord/prefill", `{}`, "command"},
		{"editord/prefill", `{"command":"mcp.tool.s.none"}`, "command"},
		{"editord/prefill", `{"command":"mcp.tool.s.t","arguments":[]}`, "arguments"},
		{"workspace/executeCommand", `{}`, "command"},
		{"workspace/executeCommand", `{"command":"mcp.tool.s.none"}`, "command"},
		{"workspace/executeCommand", `{"command":"mcp.tool.s.t","arguments":{}}`, "arguments"},
		{"workspace/executeCommand", `{"command":"mcp.tool.s.t","arguments":["x"]}`, "arguments[0]"},
		{"workspace/executeCommand", `{"command":"mcp.tool.s.t","arguments":[{},5]}`, "arguments[1]"},
		{"workspace/executeCommand", `{"command":"mcp.tool.s.t","arguments":[{},{"languageId":5}]}`, "arguments[1].languageId"},
		{"workspace/executeCommand", `{"command":"mcp.prompt.s.p","arguments":[{"a":[1]}]}`, "arguments[0].a"},
		{"workspace/executeCommand", `{"command":"editord.restartServer"}`, "server"},
		{"workspace/executeCommand", `{"command":"editord.signIn"}`, "server"},
		{"workspace/executeCommand", `{"command":"editord.showApproval","arguments":[{"server":"s"}]}`, "server"},    // nothing waits
		{"workspace/executeCommand", `{"command":"editord.showApproval","arguments":[{"server":"none"}]}`, "server"}, // nor there
		{"workspace/textDocumentContent", `{"uri":"mcp://editord/7/x.txt"}`, "uri"},                                  // it is gone
	} {
		_, err := e.Request(test.method, json.RawMessage(test.params))
		if err == nil || err.Code != -32602 || err.Kind() != string(KindInvalidParams) || err.Detail() != test.detail || err.Message == "" {
			t.Errorf("%s %s: %v, want the detail %q", test.method, test.params, err, test.detail)
		}
	}
}

// What waits for an answer comes after it, also when the answer says that the request was cancelled.
func TestWhatComesAfterAnAnswer(t *testing.T) {
	b := newFakeBackend()
	b.log = func(ctx context.Context, p ServerLogParams, answered <-chan struct{}) (ServerLogResult, error) {
		go func() {
			<-answered
			b.theEditor().ServerLogged(ServerLogged{Server: p.Server, Lines: []string{}, Cursor: p.After, Missed: *p.Lines})
		}()
		if p.After == "cancel" {
			<-ctx.Done()
			<-answered // nothing is on its way any more
		}
		return ServerLogResult{Lines: []string{}, Cursor: p.After}, ctx.Err()
	}
	e := open(t, b, fakeeditor.Options{})
	var asked []*fakeeditor.Pending
	for i := range 100 {
		asked = append(asked, e.Start("editord/serverLog", json.RawMessage(fmt.Sprintf(`{"server":"s","after":"%d","follow":true}`, i))))
	}
	cancelled := e.Start("editord/serverLog", json.RawMessage(`{"server":"s","after":"cancel","lines":7}`))
	cancelled.Cancel()
	if _, err := cancelled.Wait(); err == nil {
		t.Error("it was not cancelled")
	}
	waitFor(t, asked...)
	e.Await("the last", func(m fakeeditor.Message) bool {
		return strings.Contains(string(m.Params), `"cursor":"cancel","missed":7`)
	})
	e.Await("all", func(fakeeditor.Message) bool { return count(e, "editord/serverLogged") == len(asked)+1 })
	answered := map[string]bool{}
	for _, m := range e.Messages() {
		switch {
		case m.Method == "editord/serverLogged":
			if cursor := rawjson.String(m.Params, "cursor"); cursor != "cancel" && !answered[cursor] {
				t.Errorf("%s came before the answer", m.Params)
			}
		case m.Result != nil:
			answered[rawjson.String(m.Result, "cursor")] = true
		}
	}
}

func TestEditord(t *testing.T) {
	b := newFakeBackend()
	b.servers = []Server{{Name: "s", State: "ready"}}
	b.catalogs = []listing{{
		Server:  Server{Name: "s", State: "ready"},
		Tools:   raw(`{"name":"t", "inputSchema":{"maximum":9007199254740993}}`, `{"noName":true}`),
		Prompts: raw(`{"name":"p"}`), Resources: raw(`{"uri":"x:y"}`),
	}, {Server: Server{Name: "other", State: "ready"}}}
	e := open(t, b, fakeeditor.Options{})
	const serverJSON = `{"name":"s","state":"%s","scope":"","transport":"","source":"","restarts":0}`
	server := func(state string) string { return fmt.Sprintf(serverJSON, state) }
	for _, test := range []struct{ method, params, want string }{
		{"editord/servers", `{}`, `{"servers":[` + server("ready") + `]}`},
		{"editord/startServer", `{"server":"s"}`, server("ready")},
		{"editord/stopServer", `{"server":"s"}`, server("stopped")},
		{"editord/restartServer", `{"server":"s"}`, server("ready")},
		{"editord/muteServer", `{"server":"s"}`, strings.Replace(server("ready"), `"restarts":0`, `"restarts":0,"muted":true`, 1)},
		{"editord/muteServer", `{"server":"s","muted":false}`, server("ready")},
		{"editord/approveServer", `{"server":"s","digest":"d","decision":"deny"}`, `{"name":"s","state":"","scope":"","transport":"","source":"","digest":"d","restarts":0}`},
		{"editord/approvals", `{}`, `{"approvals":[]}`},
		{"editord/revokeApproval", `{"digest":"d"}`, `{}`},
		{"editord/serverLog", `{"server":"s","lines":5}`, `{"lines":[],"cursor":""}`},
		{"mcp/roots/list", `{"server":"s"}`, `{"roots":[]}`},
		{"editord/catalog", `{"server":"s"}`, `{"servers":[{"server":` + server("ready") + `,"tools":[{"command":"mcp.tool.s.t","tool":{"name":"t","inputSchema":{"maximum":9007199254740993}}}],` +
			`"prompts":[{"command":"mcp.prompt.s.p","prompt":{"name":"p"}}],"resources":[{"uri":"x:y"}],"resourceTemplates":[]}]}`},
		{"editord/signIn", `{"server":"s"}`, server("ready")},
		{"editord/finishSignIn", `{"server":"s","response":"http://127.0.0.1:1/x?code=c"}`, `{}`},
		{"editord/signOut", `{"server":"s"}`, server("needsSignIn")},
		{"editord/status", `{}`, `{"version":"1.2.3","pid":0,"socket":"","config":"","logFile":"","uptime":0,"editors":[],"servers":[],"counters":{}}`},
	} {
		result, err := e.Request(test.method, json.RawMessage(test.params))
		if err != nil {
			t.Errorf("%s: %v", test.method, err)
		} else if string(result) != test.want {
			t.Errorf("%s returned\n%s\nwant\n%s", test.method, result, test.want)
		}
	}
	_, err := e.Request("editord/catalog", map[string]string{"server": "nobody"})
	wantError(t, err, -32602, KindServerNotFound, "")
}

// Bound arguments fill what a call lacks, by the tool's schema; everything else in the call stays
// byte for byte.
func TestBoundCall(t *testing.T) {
	b := newFakeBackend()
	b.setCatalogs(listing{
		Server: Server{Name: "s", State: "ready"},
		Tools:  raw(`{"name":"t","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}}}}`),
	})
	b.bound = map[string]Bound{"path": {Text: "/w"}, "n": {Text: "7"}}
	e := open(t, b, fakeeditor.Options{})
	for _, test := range []struct{ name, params, want, bound string }{
		{"none is given", `{"name":"t"}`, `{"name":"t","arguments":{"n":7,"path":"/w"}}`, "n path"},
		{"one is given", `{"name":"t","arguments":{"n":1.0},"x":9007199254740993}`, `{"name":"t","arguments":{"n":1.0,"path":"/w"},"x":9007199254740993}`, "path"},
		{"both are given", `{"name":"t","arguments":{"path":null,"n":1}}`, `{"name":"t","arguments":{"path":null,"n":1}}`, ""},
		{"a tool that is not in the catalog", `{"name":"u","arguments":{}}`, `{"name":"u","arguments":{}}`, ""},
		{"arguments of another type", `{"name":"t","arguments":7}`, `{"name":"t","arguments":7}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e.Call("mcp/tools/call", json.RawMessage(`{"server":"s","params":`+test.params+`}`), nil)
			wantJSON(t, b.lastCall(t).Params, test.want)
			if got := strings.Join(b.lastCall(t).Bound, " "); got != test.bound {
				t.Errorf("bound are %q, want %q", got, test.bound)
			}
		})
	}
}

// Promise 10: an editor that does not read what it has asked for gets busy for what does not fit
// into its memory, and everything of that is given back.
func TestPromise10EditorThatDoesNotRead(t *testing.T) {
	const size = 100 << 10
	text := json.RawMessage(`{"x":"` + strings.Repeat("x", size) + `"}`)
	for name, answer := range map[string]func() (json.RawMessage, error){
		"results": func() (json.RawMessage, error) { return text, nil },
		"errors":  func() (json.RawMessage, error) { return nil, &RPCError{Code: -1, Message: "no", Data: text} },
	} {
		t.Run(name, func(t *testing.T) { doesNotRead(t, size, answer) })
	}
}

func doesNotRead(t *testing.T, size int64, answer func() (json.RawMessage, error)) {
	const calls = 20
	b := newFakeBackend()
	b.memory = budget.New(1 << 20)
	b.call = func(context.Context, Call) (json.RawMessage, error) { return answer() }
	e := open(t, b, fakeeditor.Options{})
	e.Stall()
	var pending []*fakeeditor.Pending
	for range calls {
		pending = append(pending, e.Start("mcp/tools/call", map[string]any{"server": "s", "params": map[string]any{"name": "t"}}))
	}
	peer := b.session().peer
	served := func() bool { // all of it was asked for and answered
		b.mu.Lock()
		defer b.mu.Unlock()
		peer.mu.Lock()
		defer peer.mu.Unlock()
		return len(b.calls) == calls && peer.serving == 0
	}
	for !served() {
		runtime.Gosched()
	}
	if used := b.memory.Used(); used < 5*size {
		t.Errorf("%d bytes are used for %d answers of %d bytes that wait", used, calls, size)
	}
	e.Resume()
	busy := 0
	for _, p := range pending {
		if _, err := p.Wait(); err != nil && err.Kind() == string(KindBusy) {
			wantError(t, err, -32803, KindBusy, "")
			busy++
		}
	}
	if busy == 0 || busy == calls {
		t.Errorf("of %d answers %d did not fit", calls, busy)
	}
	for b.memory.Used() > 0 {
		runtime.Gosched()
	}
}

// An envelope is read as encoding/json would read it, with the same errors.
func TestReadEnvelope(t *testing.T) {
	type plain MCPRequest // has no read
	for _, params := range []string{
		`{}`, `null`, `[]`, `7`, ` { } `,
		`{"server":"s","params":{"a":[1, 2.0]},"context":{"textDocument":{"uri":"file:///a"},"selectedText":"x"},"timeout":1.5,"workDoneToken":"t"}`,
		`{"server":"\u0073\"","params":{}}`, `{"\u0073erver":"s","p\u0061rams":{"x":1}}`, `{"Server":"s","other":{"server":"t"}}`,
		`{"server":null,"params":null,"context":null,"timeout":null,"workDoneToken":null,"progressToken":null}`,
		`{"server":7}`, `{"server":{}}`, `{"params":[1]}`, `{"context":7}`, `{"context":{"range":{"start":{"line":"x"}}}}`,
		`{"context":{"selectedText":[]}}`, `{"timeout":"x"}`, `{"timeout":1e400}`, `{"workDoneToken":{}}`,
		`{"timeout":[],"server":7,"params":{}}`,
	} {
		t.Run(params, func(t *testing.T) {
			var got MCPRequest
			var want plain
			gotErr, wantErr := decode([]byte(params), &got, ""), decode([]byte(params), &want, "")
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("the error is %v, want %v", gotErr, wantErr)
			}
			if wantErr == nil && !reflect.DeepEqual(got, MCPRequest(want)) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}
