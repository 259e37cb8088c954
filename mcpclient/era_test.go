package mcpclient

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Ways in which a server of these tests fails to answer.
const (
	silent = "silent"
	dies   = "dies"
)

// behave has requests of method answered like this.
func (m *memServer) behave(method, how string) {
	m.take(method, func(w *memWire, r *wire.Request) { w.behave(r, how) })
}

// behave answers r like this. "wire " begins the kind of a [wire.Error] of the wire, with its detail.
func (w *memWire) behave(r *wire.Request, how string) {
	ofWire, isOfWire := strings.CutPrefix(how, "wire ")
	switch {
	case how == silent:
	case how == dies:
		w.exit()
	case isOfWire:
		kind, detail, _ := strings.Cut(ofWire, " ")
		w.fail(r, wire.Errorf(wire.Kind(kind), detail, "the wire says %s", kind))
	default:
		w.in <- memResponse(r.ID, how)
	}
}

// Fault version-mismatch: which era is tried first, and with what outcome.
func TestEraOrder(t *testing.T) {
	const (
		unknown    = memError + `{"code":-32601,"message":"no such method"}`
		badParams  = memError + `{"code":-32602,"message":"bad params"}`
		old        = `{"protocolVersion":"2025-06-18","capabilities":{}}`
		modernOnly = memError + `{"code":-32022,"message":"unsupported","data":{"supported":["2026-07-28"]}}`
		init       = "initialize"
		discover   = "server/discover"
	)
	for _, tt := range []struct {
		name                 string
		streamable           bool
		protocol, last       string
		first                string // how the first server/discover is answered, where the others are not answered so
		initialize, discover string
		sent                 []string  // methods of the handshake
		version              string    // "" when the start fails
		kind                 wire.Kind // of the failure; "" means wire.KindProtocol
		message              []string  // parts of it
		takes                time.Duration
	}{
		// stdio, nothing known
		{name: "stdio, legacy", initialize: old, discover: unknown, sent: []string{init}, version: "2025-06-18"},
		{name: "stdio, both eras", initialize: memInitialize, discover: memDiscover, sent: []string{init}, version: "2025-11-25"},
		{name: "stdio, modern, unknown method", initialize: unknown, discover: memDiscover, sent: []string{init, discover}, version: "2026-07-28"},
		{name: "stdio, modern, names versions", initialize: modernOnly, discover: memDiscover, sent: []string{init, discover}, version: "2026-07-28"},
		{name: "stdio, initialize answered with the modern version", initialize: `{"protocolVersion":"2026-07-28","capabilities":{}}`, discover: memDiscover, sent: []string{init, discover}, version: "2026-07-28"},
		{name: "stdio, initialize answered with the modern version by a liar", initialize: `{"protocolVersion":"2026-07-28","capabilities":{}}`, discover: unknown, sent: []string{init, discover}, message: []string{`"2026-07-28"`, "2025-11-25"}},
		{name: "stdio, future version", initialize: `{"protocolVersion":"2031-01-01","capabilities":{}}`, discover: unknown, sent: []string{init, discover}, message: []string{"2031-01-01", "2025-11-25", "2024-10-07"}},
		{name: "stdio, both refused", initialize: badParams, discover: unknown, sent: []string{init, discover}, message: []string{"bad params", "2025-11-25"}},
		{name: "stdio, both refused, one names versions", initialize: badParams, discover: memError + `{"code":-32022,"message":"unsupported","data":{"supported":["2031-01-01"]}}`, sent: []string{init, discover}, message: []string{"2031-01-01", "2026-07-28"}},
		{name: "stdio, refused, then silent", initialize: badParams, discover: silent, sent: []string{init, discover}, message: []string{"bad params"}, takes: probeTimeout},
		{name: "stdio, silent", initialize: silent, discover: memDiscover, sent: []string{init}, kind: wire.KindStartTimeout, message: []string{"handshake", "process 42"}, takes: 30 * time.Second},
		{name: "stdio, dies", initialize: dies, discover: memDiscover, sent: []string{init}, kind: wire.KindExit},
		{name: "stdio, refused, then dies", initialize: badParams, discover: dies, sent: []string{init, discover}, message: []string{"bad params", "2025-11-25"}},
		{name: "stdio, garbage", initialize: `[]`, discover: unknown, sent: []string{init}, message: []string{"not an object"}},
		{name: "stdio, answered without a version", initialize: `{"protocolVersion":7}`, discover: unknown, sent: []string{init, discover}, message: []string{"no version"}},
		{name: "stdio, garbage twice", initialize: badParams, discover: `{}`, sent: []string{init, discover}, message: []string{"bad params"}},

		// stdio, something known
		{name: "stdio, was modern", last: "2026-07-28", initialize: unknown, discover: memDiscover, sent: []string{discover}, version: "2026-07-28"},
		{name: "stdio, was modern, is legacy", last: "2026-07-28", initialize: old, discover: unknown, sent: []string{discover, init}, version: "2025-06-18"},
		{name: "stdio, was modern, is silent to strangers", last: "2026-07-28", initialize: old, discover: silent, sent: []string{discover, init}, version: "2025-06-18", takes: probeTimeout},
		{name: "stdio, was modern, answers anything", last: "2026-07-28", initialize: old, discover: `{}`, sent: []string{discover, init}, version: "2025-06-18"},
		{name: "stdio, was legacy", last: "2025-06-18", initialize: old, discover: memDiscover, sent: []string{init}, version: "2025-06-18"},
		{name: "stdio, was something unknown", last: "2031-01-01", initialize: old, discover: memDiscover, sent: []string{init}, version: "2025-06-18"},

		// Streamable HTTP, nothing known
		{name: "HTTP, both eras", streamable: true, initialize: memInitialize, discover: memDiscover, sent: []string{discover}, version: "2026-07-28"},
		{name: "HTTP, legacy, unknown method", streamable: true, initialize: old, discover: unknown, sent: []string{discover, init}, version: "2025-06-18"},
		{name: "HTTP, legacy, 400", streamable: true, initialize: old, discover: "wire httpError 400", sent: []string{discover, init}, version: "2025-06-18"},
		{name: "HTTP, legacy, connection lost", streamable: true, initialize: old, discover: "wire serverGone", sent: []string{discover, init}, version: "2025-06-18"},
		{name: "HTTP, legacy, silent", streamable: true, initialize: old, discover: silent, sent: []string{discover, init}, version: "2025-06-18", takes: probeTimeout},
		{name: "HTTP, unsupported, names an older one", streamable: true, initialize: old, discover: memError + `{"code":-32022,"message":"unsupported","data":{"supported":["2025-06-18"]}}`, sent: []string{discover, init}, version: "2025-06-18"},
		{name: "HTTP, unsupported, names a future one", streamable: true, initialize: old, discover: memError + `{"code":-32022,"message":"unsupported","data":{"supported":["2031-01-01","2032-01-01"]}}`, sent: []string{discover}, message: []string{"2031-01-01, 2032-01-01", "2026-07-28", "2025-11-25"}},
		{name: "HTTP, unsupported, names none", streamable: true, initialize: old, discover: memError + `{"code":-32022,"message":"unsupported"}`, sent: []string{discover, init}, version: "2025-06-18"},
		{name: "HTTP, unsupported, names ours all the same", streamable: true, initialize: old, discover: modernOnly, sent: []string{discover, discover}, message: []string{"refused server/discover", "unsupported"}},
		{name: "HTTP, unsupported at first", streamable: true, initialize: old, first: modernOnly, discover: memDiscover, sent: []string{discover, discover}, version: "2026-07-28"},
		{name: "HTTP, slow at first", streamable: true, initialize: unknown, first: silent, discover: memDiscover, sent: []string{discover, init, discover}, version: "2026-07-28", takes: probeTimeout},
		{name: "HTTP, discovered without ours, with an older one", streamable: true, initialize: old, discover: `{"resultType":"complete","supportedVersions":["2025-06-18"]}`, sent: []string{discover, init}, version: "2025-06-18"},
		{name: "HTTP, discovered with a future one", streamable: true, initialize: old, discover: `{"resultType":"complete","supportedVersions":["2031-01-01"]}`, sent: []string{discover}, message: []string{"2031-01-01", "2026-07-28"}},
		{name: "HTTP, discovered with a result of an unknown type", streamable: true, initialize: old, discover: `{"resultType":"teapot","supportedVersions":["2026-07-28"]}`, sent: []string{discover, init}, version: "2025-06-18"},
		{name: "HTTP, wants a header", streamable: true, initialize: old, discover: memError + `{"code":-32020,"message":"header mismatch"}`, sent: []string{discover}, message: []string{"header mismatch"}},
		{name: "HTTP, wants a capability", streamable: true, initialize: old, discover: memError + `{"code":-32021,"message":"elicitation is required"}`, sent: []string{discover}, message: []string{"elicitation is required"}},
		{name: "HTTP, both refused", streamable: true, initialize: "wire httpError 404", discover: "wire httpError 404", sent: []string{discover, init}, message: []string{"refused the handshake", "the wire says"}},
		{name: "HTTP, was legacy", streamable: true, last: "2025-11-25", initialize: old, discover: memDiscover, sent: []string{init}, version: "2025-06-18"},
		{name: "HTTP, was legacy, is modern", streamable: true, last: "2025-11-25", initialize: "wire httpError 400", discover: memDiscover, sent: []string{init, discover}, version: "2026-07-28"},

		// pinned
		{name: "pinned to the modern era", protocol: "2026-07-28", initialize: memInitialize, discover: memDiscover, sent: []string{discover}, version: "2026-07-28"},
		{name: "pinned to the modern era, legacy server", protocol: "2026-07-28", initialize: memInitialize, discover: unknown, sent: []string{discover}, message: []string{"no such method", "only 2026-07-28 to it"}},
		{name: "pinned to the modern era, names an older one", protocol: "2026-07-28", initialize: memInitialize, discover: memError + `{"code":-32022,"message":"unsupported","data":{"supported":["2025-06-18"]}}`, sent: []string{discover}, message: []string{"speaks 2025-06-18", "only 2026-07-28 to it"}},
		{name: "pinned to the modern era, silent", protocol: "2026-07-28", initialize: memInitialize, discover: silent, sent: []string{discover}, kind: wire.KindStartTimeout, message: []string{"handshake"}, takes: 30 * time.Second},
		{name: "pinned to the legacy era, HTTP", streamable: true, protocol: "2025-06-18", initialize: old, discover: memDiscover, sent: []string{init}, version: "2025-06-18"},
		{name: "pinned to the legacy era, was modern", protocol: "2025-11-25", last: "2026-07-28", initialize: memInitialize, discover: memDiscover, sent: []string{init}, version: "2025-11-25"},
		{name: "pinned to the legacy era, modern server", protocol: "2025-11-25", initialize: modernOnly, discover: memDiscover, sent: []string{init}, message: []string{"it speaks 2026-07-28", "only 2024-10-07, 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 to it"}},
		{name: "pinned to an unknown version", protocol: "2030-01-01", message: []string{"2030-01-01", "2025-11-25"}},
		{name: "HTTP, connection lost", streamable: true, last: "2025-11-25", initialize: "wire serverGone", discover: memDiscover, sent: []string{init}, kind: wire.KindUnreachable},
		{name: "HTTP, busy", streamable: true, initialize: old, discover: "wire httpError 429", sent: []string{discover}, kind: wire.KindHTTP},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			m.streamable = tt.streamable
			m.behave("initialize", tt.initialize)
			m.behave(discover, tt.discover)
			if tt.first != "" {
				m.take(discover, func(w *memWire, r *wire.Request) {
					m.behave(discover, tt.discover)
					w.behave(r, tt.first)
				})
			}
			c := newMemClient(t, m, &memHost{}, func(o *Options) { o.Protocol, o.LastVersion = tt.protocol, tt.last })
			begun := time.Now()
			c.Start()
			// The first status that the host is told after starting is the outcome.
			for changed := c.next(); c.Status().State == StateStopped || c.Status().State == StateStarting; changed = c.next() {
				<-changed
			}
			took, s := time.Since(begun), c.Status()
			synctest.Wait()
			sent := slices.DeleteFunc(m.methods(), func(method string) bool {
				return method != init && method != discover
			})
			c.Close()
			if took != tt.takes {
				t.Errorf("it took %v, want %v", took, tt.takes)
			}
			if !slices.Equal(sent, tt.sent) || len(m.dialed()) > len(sent) {
				t.Errorf("sent %v, want %v; started %d times", sent, tt.sent, len(m.dialed()))
			}
			if tt.version != "" {
				if s.State != StateReady || s.ProtocolVersion != tt.version {
					t.Errorf("status %+v", s)
				}
				return
			}
			if tt.kind == "" {
				tt.kind = wire.KindProtocol
			}
			if s.Err == nil || tt.kind == wire.KindProtocol && s.State != StateFailed {
				t.Fatalf("status %+v", s)
			}
			e := wantKind(t, s.Err, tt.kind)
			for _, part := range tt.message {
				if !strings.Contains(e.Message, part) {
					t.Errorf("%q does not say %q", e.Message, part)
				}
			}
		})
	}
}

// The next start begins with the era that was found. Nothing else is remembered.
func TestEraIsRemembered(t *testing.T) {
	for _, tt := range []struct {
		name       string
		streamable bool
		last       string
		first      func(m *memServer) // how the first life differs from a server of both eras
		want       string             // what the second one is asked first
		version    string
	}{
		{name: "stdio, modern", first: func(m *memServer) { m.behave("initialize", memError+`{"code":-32601}`) }, want: "server/discover", version: "2026-07-28"},
		{name: "stdio, legacy", want: "initialize", version: "2025-11-25"},
		{name: "HTTP, modern", streamable: true, want: "server/discover", version: "2026-07-28"},
		{name: "HTTP, legacy", streamable: true, first: func(m *memServer) { m.behave("server/discover", memError+`{"code":-32601}`) }, want: "initialize", version: "2025-11-25"},
		{name: "stdio, ended over server/discover", last: "2026-07-28", first: func(m *memServer) { m.behave("server/discover", dies) }, want: "initialize", version: "2025-11-25"},
		{
			name: "HTTP, unreachable", streamable: true,
			first: func(m *memServer) {
				m.take("server/discover", func(w *memWire, _ *wire.Request) { w.end(wire.Errorf(wire.KindUnreachable, "", "no route")) })
			},
			want: "server/discover", version: "2026-07-28",
		},
		{name: "HTTP, busy", streamable: true, first: func(m *memServer) { m.behave("server/discover", "wire httpError 503") }, want: "server/discover", version: "2026-07-28"},
		{name: "HTTP, stopped meanwhile", streamable: true, first: func(m *memServer) { m.behave("server/discover", silent) }, want: "server/discover", version: "2026-07-28"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			m.streamable = tt.streamable
			m.behave("initialize", memInitialize)
			if tt.first != nil {
				tt.first(m)
			}
			c := newMemClient(t, m, &memHost{}, func(o *Options) { o.LastVersion = tt.last })
			c.Start()
			synctest.Wait()
			m.behave("initialize", memInitialize)
			m.behave("server/discover", memDiscover)
			before := len(m.requests())
			c.Restart().must(t)
			got := slices.DeleteFunc(m.methods()[before:], func(method string) bool { return method == wire.MethodCancelled }) // of the first life
			if len(got) == 0 || got[0] != tt.want {
				t.Errorf("the second life was asked %v", got)
			}
			if s := c.Status(); s.ProtocolVersion != tt.version {
				t.Errorf("status %+v", s)
			}
		})
	}
}

// "Client requests carry the following io.modelcontextprotocol/* fields in _meta;
// fields marked as required MUST be included on every request" (MCP 2026-07-28,
// Overview, Per-request protocol fields).
func TestMetaOnEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.answer("tools/call", `{"resultType":"complete"}`)
		c, _ := startMem(t, m, &memHost{}, func(o *Options) {
			o.Capabilities = json.RawMessage(`{"elicitation":{"form":{}},"roots":{"listChanged":true},"sampling":{}}`)
		})
		if s := c.Status(); string(s.ServerInfo) != `{"name":"mem","version":"2"}` || s.Instructions != "be kind" || !strings.Contains(string(s.Capabilities), `"subscribe":true`) {
			t.Errorf("status %+v", s)
		}
		m.answer("vendor/thing", `{}`)
		for _, call := range []Call{
			{Method: "tools/call", Params: json.RawMessage(`{"name":"a"}`)},
			{Method: "vendor/thing"},
			{Method: "ping"},
			{Method: "resources/subscribe", Params: json.RawMessage(`{"uri":"file:///a"}`)},
		} {
			c.must(t, call)
		}
		synctest.Wait()
		asked := map[string]bool{}
		for _, r := range m.requests() {
			asked[r.Method] = true
			if r.Method == "initialize" || !r.IsCall() {
				continue
			}
			meta := rawjson.Get(r.Params, "_meta")
			for name, want := range map[string]string{
				wire.MetaVersion: `"2026-07-28"`, wire.MetaClientInfo: `{"name":"test","version":"0"}`,
				wire.MetaCapabilities: `{"elicitation":{"form":{}},"roots":{},"sampling":{}}`,
			} {
				if got := string(rawjson.Get(meta, name)); got != want {
					t.Errorf("%s has %s %s, want %s", r.Method, name, got, want)
				}
			}
		}
		for _, method := range []string{"server/discover", "tools/list", "resources/list", "resources/templates/list", "subscriptions/listen", "tools/call", "vendor/thing"} {
			if !asked[method] {
				t.Errorf("%s was not sent", method)
			}
		}
		for _, method := range []string{"ping", "resources/subscribe", "notifications/initialized"} {
			if asked[method] {
				t.Errorf("%s was sent, which the modern era does not have", method)
			}
		}
	})
}

// The editor's members stay as it wrote them; ours win.
func TestMetaOfTheEditor(t *testing.T) {
	for _, tt := range []struct{ name, params, want string }{
		{"none", `{"name":"a"}`, `{"name":"a","_meta":{"progressToken":ID,VERSION,INFO,CAPS}}`},
		{"no params", ``, `{"_meta":{"progressToken":ID,VERSION,INFO,CAPS}}`},
		{"no object", `{"_meta":7}`, `{"_meta":{"progressToken":ID,VERSION,INFO,CAPS}}`},
		{
			"members, order and numbers", `{"z":12345678901234567890,"_meta":{"traceparent":"00-ab","x":1e400,"n":{"b":9007199254740993,"a":1.10}},"a":"\u00e9\/"}`,
			`{"z":12345678901234567890,"_meta":{"traceparent":"00-ab","x":1e400,"n":{"b":9007199254740993,"a":1.10},"progressToken":ID,VERSION,INFO,CAPS},"a":"\u00e9\/"}`,
		},
		{
			"ours wins", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01","progressToken":"mine","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/clientInfo":7}}`,
			`{"_meta":{VERSION,"progressToken":ID,CAPS,INFO}}`,
		},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			m.answer("vendor/thing", `{"n":9007199254740993}`)
			c, _ := startMem(t, m, &memHost{}, nil)
			call := Call{Method: "vendor/thing"}
			if tt.params != "" {
				call.Params = json.RawMessage(tt.params)
			}
			if got := c.must(t, call); got != `{"n":9007199254740993}` {
				t.Errorf("got %s", got)
			}
			r := m.requests("vendor/thing")[0]
			want := strings.NewReplacer("ID", idOf(r), "VERSION", `"`+wire.MetaVersion+`":"2026-07-28"`,
				"INFO", `"`+wire.MetaClientInfo+`":{"name":"test","version":"0"}`, "CAPS", `"`+wire.MetaCapabilities+`":{}`).Replace(tt.want)
			if string(r.Params) != want {
				t.Errorf("params\n%s, want\n%s", r.Params, want)
			}
		})
	}
}

// "The server MUST NOT write JSON-RPC requests", and "the client MUST NOT write
// JSON-RPC responses" (MCP 2026-07-28, stdio).
func TestRequestsOfAModernServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{}
		c, w := startMem(t, newModernServer(), h, func(o *Options) {
			o.Capabilities = json.RawMessage(`{"sampling":{},"elicitation":{}}`)
		})
		for i, method := range []string{"ping", "roots/list", "sampling/createMessage", "elicitation/create", "vendor/thing"} {
			w.say(t, `{"jsonrpc":"2.0","id":`+string(rune('1'+i))+`,"method":"`+method+`"}`)
		}
		w.quiet(t)
		if n := c.Counters()["refusedRequests"]; n != 5 {
			t.Errorf("%d are counted", n)
		}
		wantLog(t, c, `refused the request "ping"`)
	})
}
