//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault unknown-content: the result's bytes are the server's bytes.
func TestResultIsTheServersBytes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, result string }{
		{"members that nobody knows", `{"x-vendor":{"a":[1,null,true]},"content":[],"isError":false}`},
		{"a content of a type that nobody knows", `{"content":[{"type":"hologram","data":"AAAA"},{"type":"text","text":"next to it"}]}`},
		{"a resultType that nobody knows", `{"resultType":"future","content":[]}`},
		{"integers over 2^53", `{"content":[],"structuredContent":{"n":9007199254740993,"m":-9007199254740993,"big":123456789012345678901234567890}}`},
		{"the spelling of numbers", `{"content":[],"structuredContent":[1.0,1e3,1E+3,0.10,-0]}`},
		{"order and white space", `{ "z" : 1 ,	"a" : 2 , "content" : [ ] }`},
		{"escapes", `{"content":[{"type":"text","text":"\u0041\/\u2028<>&\ud83d\ude00 å"}]}`},
		{"nothing at all", `{}`},
	}
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	for _, tt := range tests { // one after another: they share the editor
		arguments := object{"lines": []string{`{"jsonrpc":"2.0","id":$ID,"result":` + tt.result + `}`}}
		raw, err := e.Request("mcp/tools/call", toolCall("fake", "raw", arguments))
		if err != nil || string(raw) != tt.result {
			t.Errorf("%s: mcp/tools/call is answered by\n%s %v, want\n%s", tt.name, raw, err, tt.result)
		}
		raw, err = e.Request("workspace/executeCommand", object{"command": "mcp.tool.fake.raw", "arguments": []any{arguments}})
		if err != nil || string(raw) != tt.result {
			t.Errorf("%s: workspace/executeCommand is answered by\n%s %v, want\n%s", tt.name, raw, err, tt.result)
		}
	}
}

func TestErrorIsTheServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	const data = `{"n":9007199254740993,"kind":7}`
	_, err := e.Request("mcp/tools/call", toolCall("fake", "refuse", object{"code": -32042, "message": "no <b>", "data": json.RawMessage(data)}))
	if err == nil || err.Code != -32042 || err.Message != "no <b>" || string(err.Data) != data {
		t.Errorf("the error is %v", err)
	}
}

// What the editor sends reaches the server with the same bytes.
func TestArgumentsAreTheEditorsBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	const params = `{"name":"echo","arguments":{"n":9007199254740993,"s":"\u0041<>&","a":1.0},"x-vendor":{}`
	if err := e.SendBody(`{"jsonrpc":"2.0","id":"call","method":"mcp/tools/call","params":{"server":"fake","params":` + params + `}}}`); err != nil {
		t.Fatal(err)
	}
	if m := awaitAnswers(e, json.RawMessage(`"call"`), 1)[0]; m.Error != nil {
		t.Fatalf("the call failed: %v", m.Error)
	}
	if got := string(w.recorded("fake", "tools/call")[0].Params); !strings.HasPrefix(got, params) {
		t.Errorf("the server got %s, want %s and a progress token", got, params)
	}
}

func TestLargeResult(t *testing.T) {
	t.Parallel()
	const size = 20 << 20
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	raw, err := e.Request("mcp/tools/call", toolCall("fake", "big", object{"bytes": size}))
	want := `{"x-grease":{"n":12345678901234567890,"x":null},"content":[{"text":"` + strings.Repeat("x", size) +
		`","type":"text"},{"type":"x-grease","value":1}],"structuredContent":{"bytes":` + fmt.Sprint(size) + `}}`
	if err != nil || string(raw) != want {
		t.Errorf("the result has %d bytes, want %d (%v)", len(raw), len(want), err)
	}
}

func TestServersOfTheEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"user": w.fakeServer("user", fakeserver.Script{})}.String())
	o := in(mcpCapabilities, w.folder("project"))
	o.InitializationOptions = json.RawMessage(marshal(object{
		"autoStart": false, "servers": servers{"own": w.fakeServer("own", fakeserver.Script{})}}))
	e := w.attach(o)
	if s := server(e, "own"); s.Source != "editor" || s.State != "stopped" {
		t.Errorf("the editor's server is %+v", s)
	}
	// Nothing was started: what was would be on its way when something is started by hand.
	request(e, "editord/startServer", object{"server": "own"}, nil)
	served(e, "own")
	if s := server(e, "user"); s.State != "stopped" || seenStates(e, "user", "starting") != 0 {
		t.Errorf("a server that nobody started is %+v", s)
	}
	_, err := e.Request("mcp/tools/call", toolCall("user", "echo", object{}))
	wantError(e, "a call of it", err, "serverNotReady", -32803)

	// They are the editor's own: another one does not have them.
	other := w.attach(in(mcpCapabilities, w.folder("project")))
	_, err = other.Request("mcp/tools/call", toolCall("own", "echo", object{}))
	wantError(other, "a call of another editor's server", err, "serverNotFound", -32602)
}

// Fault bad-request, on the socket itself.
func TestLifecycleAndIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{}.String())
	w.serve()
	e := fakeeditor.New(t, w.dial(), fakeeditor.Options{})
	w.editors = append(w.editors, e)
	// ask sends a frame and wants an error with an id as it is written.
	ask := func(what, body, id string, code int64) {
		t.Helper()
		seen := len(e.Messages())
		if err := e.SendBody(body); err != nil {
			t.Fatal(err)
		}
		var answer fakeeditor.Message
		e.Expect("the answer to "+what, func(conversation []fakeeditor.Message) (met bool, never string) {
			i := slices.IndexFunc(conversation[seen:], func(m fakeeditor.Message) bool { return !m.Sent && m.Method == "" })
			if i >= 0 {
				answer = conversation[seen+i]
			}
			return i >= 0, ""
		})
		if answer.Error == nil || answer.Error.Code != code || !strings.Contains(string(answer.Raw), `"id":`+id+`,`) {
			t.Errorf("%s: the answer is %s, want an error %d with the id %s", what, answer.Raw, code, id)
		}
	}
	ask("a request before initialize", `{"jsonrpc":"2.0","id":"1","method":"editord/status","params":{}}`, `"1"`, -32002)
	e.Initialize()
	ask("a second initialize", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}`, `7`, -32600)
	ask("a batch", `[{"jsonrpc":"2.0","id":8,"method":"editord/status"}]`, `null`, -32600)
	ask("a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"editord/status"}`, `1.5`, -32600)
	ask("a boolean as id", `{"jsonrpc":"2.0","id":true,"method":"editord/status"}`, `true`, -32600)
	ask("an object as id", `{"jsonrpc":"2.0","id":{"a":1},"method":"editord/status"}`, `null`, -32600)
	ask("a method that nobody knows", `{"jsonrpc":"2.0","id":9007199254740993,"method":"no/such"}`, `9007199254740993`, -32601)
	ask("what is no JSON", `{"jsonrpc":"2.0","id":1,`, `null`, -32700)
	if _, err := e.Request("shutdown", nil); err != nil {
		t.Fatalf("shutdown: %v", err)
	}
	ask("a request after shutdown", `{"jsonrpc":"2.0","id":"a\"b","method":"editord/status"}`, `"a\"b"`, -32600)
	e.Notify("exit", nil)
	e.AwaitEnd()
}

// Fault id-reused.
func TestIDsInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	folder := w.folder("project")
	first, second := w.attach(in(mcpCapabilities, folder)), w.attach(in(mcpCapabilities, folder))
	awaitReady(first, "fake")
	awaitReady(second, "fake")
	id := json.RawMessage("77")
	mine := first.StartID(id, "mcp/tools/call", toolCall("fake", "hang", object{}))
	theirs := second.StartID(id, "mcp/tools/call", toolCall("fake", "hang", object{}))
	await(t, "the server has both calls", func() bool { return len(w.recorded("fake", "tools/call")) == 2 })

	first.StartID(id, "mcp/tools/call", toolCall("fake", "echo", object{}))
	if m := awaitAnswers(first, id, 1)[0]; m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("the request with an id in flight: %s", m)
	}
	mine.Cancel()
	if m := awaitAnswers(first, id, 2)[1]; m.Error == nil || m.Error.Code != -32800 {
		t.Errorf("the request that was first: %s", m)
	}
	served(second, "fake")
	if theirs.Answered() {
		t.Error("the other editor's request of the same id was answered")
	}
	theirs.Cancel()
	_, err := theirs.Wait()
	wantError(second, "the other editor's request", err, "cancelled", -32800)
}

// Fault rude-exit.
func TestMessagesThatMeanNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	folder := w.folder("project")
	stays := w.attach(in(mcpCapabilities, folder))
	shim := w.spawn("attach")
	goes := w.open(shim, in(mcpCapabilities, folder))
	awaitReady(goes, "fake")
	goes.Notify("$/nobodyKnows", object{"a": 1})
	goes.Notify("$/cancelRequest", object{"id": 4711})
	goes.Notify("$/cancelRequest", object{"id": "4711"})
	goes.Notify("$/setTrace", object{"value": "off"})
	goes.Notify("nobody/knows", []int{1})
	served(goes, "fake")
	if _, err := goes.Request("$/nobodyKnows", object{}); err == nil || err.Code != -32601 {
		t.Errorf("a request that nobody knows: %v", err)
	}
	goes.Notify("exit", nil) // without shutdown
	await(t, "attach has ended", shim.ended)
	served(stays, "fake")
	await(t, "the daemon has one editor", func() bool { return len(status(stays).Editors) == 1 })
}
