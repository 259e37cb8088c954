package mcpclient

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// How long a list is good (MCP 2026-07-28, Caching).
func TestTTL(t *testing.T) {
	const told, untold = `{"tools":{"listChanged":true}}`, `{"tools":{}}`
	for _, tt := range []struct {
		name, capabilities string        // "" for a server of the legacy era, which knows no such thing
		pages              []string      // what follows the tools in each
		good               time.Duration // since the listing; -1: until told otherwise
	}{
		{"positive", untold, []string{`,"ttlMs":60000`}, time.Minute},
		{"the shortest of the pages", untold, []string{`,"ttlMs":60000`, `,"ttlMs":5000`, `,"ttlMs":90000`}, 5 * time.Second},
		{"one page says nothing, and told", told, []string{``, `,"ttlMs":5000`}, 5 * time.Second},
		{"one page says nothing", untold, []string{`,"ttlMs":5000`, ``}, 0},
		{"0", untold, []string{`,"ttlMs":0`}, 0},
		{"0, and told", told, []string{`,"ttlMs":0`}, -1},
		{"absent", untold, []string{``}, 0},
		{"absent, and told", told, []string{``}, -1},
		{"negative", untold, []string{`,"ttlMs":-60000`}, 0},
		{"no number", untold, []string{`,"ttlMs":"60000"`}, 0},
		{"beyond what a Duration holds", untold, []string{`,"ttlMs":9223372036854775807`}, maxTTL},
		{"in the legacy era", "", []string{`,"ttlMs":1`}, -1},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			m.answer("server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":`+tt.capabilities+`}`)
			pages := make([]string, len(tt.pages))
			for i, page := range tt.pages {
				if i+1 < len(tt.pages) {
					page += `,"nextCursor":"` + strconv.Itoa(i+1) + `"`
				}
				pages[i] = `{"tools":[]` + page + `}`
			}
			m.answerBy("tools/list", pagesOf(pages...))
			if tt.capabilities == "" {
				m.answer("initialize", memInitialize)
			}
			_, _, c := startSettled(t, m)
			list := func(want int) {
				t.Helper()
				before := m.times("tools/list")
				if _, err := c.List(t.Context(), wire.ListTools); err != nil {
					t.Error(err)
				}
				if n := m.times("tools/list") - before; n != want*len(tt.pages) {
					t.Errorf("%d pages, want those of %d listings", n, want)
				}
			}
			switch {
			case tt.good < 0:
				<-time.After(2 * maxTTL)
				list(0)
			case tt.good == 0:
				list(1)
				list(1)
			default:
				<-time.After(tt.good - relistInterval - 1)
				list(0)
				<-time.After(1)
				list(1)
				list(0)
			}
		})
	}
}

// Refresh reads lists that are too old, in the background, and nothing else does.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.answer("tools/list", `{"tools":[{"name":"a"}],"ttlMs":60000}`)
		h, _, c := startSettled(t, m)
		before, told := m.times("tools/list"), len(h.changes())
		c.Refresh()
		<-time.After(time.Hour)
		if n := m.times("tools/list"); n != before {
			t.Errorf("%d listings that nobody asked for", n-before)
		}
		m.answer("tools/list", `{"tools":[{"name":"b"}],"ttlMs":60000}`)
		c.Refresh()
		c.Refresh()
		<-time.After(relistInterval)
		synctest.Wait()
		if n := m.times("tools/list") - before; n != 1 || len(h.changes()) != told+1 || string(c.Lists().Of(wire.ListTools)[0]) != `{"name":"b"}` {
			t.Errorf("%d listings, %v, %s", n, h.changes(), c.Lists().Of(wire.ListTools))
		}
		// "Clients MAY serve stale responses if errors occur during re-fetching".
		<-time.After(time.Hour)
		m.answer("tools/list", memError+`{"code":-32603,"message":"ill"}`)
		wantTools(t, c, `{"tools":[{"name":"b"}],"ttlMs":60000}`)
	})
}

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
				wantTools(t, c, want)
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
				c.must(t, Call{Method: "tools/call", Params: json.RawMessage(`{"name":"plain","arguments":{"region":"eu"}}`)})
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
