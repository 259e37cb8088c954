package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	goodTool = `{"name":"good","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}`
	badTool  = `{"name":"bad","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"not a token"}}}}`
)

// callGood calls the good tool and returns the requests that it took.
func callGood(t *testing.T, m *memServer, c *Client) ([]*wire.Request, error) {
	before := m.times("tools/call")
	_, err := c.Call(t.Context(), Call{Method: "tools/call", Params: json.RawMessage(`{"name":"good","arguments":{"region":"eu"}}`)})
	return m.requests("tools/call")[before:], err
}

// Tools whose x-mcp-header is invalid are left out and named; the arguments of the
// others are mirrored. Both happen only with Streamable HTTP in the modern era (MCP
// 2026-07-28, Streamable HTTP, Custom Headers from Tool Parameters).
func TestMirror(t *testing.T) {
	for _, tt := range []struct {
		name       string
		server     *memServer
		streamable bool
		mirrors    bool
	}{
		{"Streamable HTTP", newModernServer(), true, true},
		{"stdio", newModernServer(), false, false},
		{"legacy", newMemServer(), true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.server
			synctest.Test(t, func(t *testing.T) {
				m.wires = make(chan *memWire, 10)
				m.streamable = tt.streamable
				m.answer("tools/list", `{"x":1.0,"tools":[`+badTool+`,{"name":"plain"},`+goodTool+`],"ttlMs":3600000}`)
				m.answer("tools/call", `{}`)
				_, _, c := startSettled(t, m)
				want := `{"x":1.0,"tools":[` + badTool + `,{"name":"plain"},` + goodTool + `],"ttlMs":3600000}`
				if tt.mirrors {
					want = `{"x":1.0,"tools":[{"name":"plain"},` + goodTool + `],"ttlMs":3600000}`
				}
				if result, err := c.List(t.Context(), ListTools); err != nil || string(result) != want {
					t.Errorf("%s %v", result, err)
				}
				if got := logged(c, `the tool "bad" is left out`); got != tt.mirrors {
					t.Errorf("log %q", c.LogLines(20))
				}
				sent, err := callGood(t, m, c)
				if err != nil || len(sent) != 1 {
					t.Fatalf("%d requests, %v", len(sent), err)
				}
				if got := sent[0].Mirrored["Mcp-Param-Region"]; (got == "eu") != tt.mirrors {
					t.Errorf("header %q", sent[0].Mirrored)
				}
				if _, err := c.Call(t.Context(), Call{Method: "tools/call", Params: json.RawMessage(`{"name":"plain","arguments":{"region":"eu"}}`)}); err != nil {
					t.Error(err)
				}
				all := m.requests("tools/call")
				if got := all[len(all)-1].Mirrored; len(got) != 0 {
					t.Errorf("headers %v of a tool without annotations", got)
				}
			})
		})
	}
}

// "The client SHOULD call tools/list to check for changes to the tool's inputSchema,
// then retry the original request with the appropriate headers" (ibid., Client
// Behavior).
func TestHeaderMismatch(t *testing.T) {
	const mismatch = memError + `{"code":-32020,"message":"header mismatch"}`
	for _, tt := range []struct {
		name       string
		streamable bool
		refusals   int    // before it is content
		lists      string // the answer to tools/list then
		listings   int
		calls      int
		fails      bool
	}{
		{name: "once", streamable: true, refusals: 1, lists: `{"tools":[` + goodTool + `],"ttlMs":3600000}`, listings: 1, calls: 2},
		{name: "twice", streamable: true, refusals: 2, lists: `{"tools":[` + goodTool + `],"ttlMs":3600000}`, listings: 1, calls: 2, fails: true},
		{name: "the listing fails", streamable: true, refusals: 2, lists: memError + `{"code":-32603,"message":"ill"}`, listings: 1, calls: 2, fails: true},
		{name: "stdio", refusals: 1, lists: `{"tools":[]}`, calls: 1, fails: true},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			m.streamable = tt.streamable
			m.answer("tools/list", `{"tools":[{"name":"good"}],"ttlMs":3600000}`)
			refused := 0
			m.answerBy("tools/call", func(json.RawMessage) string {
				if refused++; refused <= tt.refusals {
					return mismatch
				}
				return `{}`
			})
			_, _, c := startSettled(t, m)
			before := m.times("tools/list")
			m.answer("tools/list", tt.lists)
			sent, err := callGood(t, m, c)
			if len(sent) != tt.calls || (err != nil) != tt.fails || err != nil && !strings.Contains(err.Error(), "header mismatch") {
				t.Errorf("%d requests, %v", len(sent), err)
			}
			if n := m.times("tools/list") - before; n != tt.listings {
				t.Errorf("%d listings", n)
			}
			if !tt.fails && (sent[0].Mirrored["Mcp-Param-Region"] != "" || sent[1].Mirrored["Mcp-Param-Region"] != "eu") {
				t.Errorf("headers %v, then %v", sent[0].Mirrored, sent[1].Mirrored)
			}
			<-time.After(relistInterval)
		})
	}
}
