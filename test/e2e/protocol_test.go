//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"testing"

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
