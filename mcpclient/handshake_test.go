package mcpclient

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestHandshake(t *testing.T) {
	for _, tt := range []struct {
		name, pin, offered string
		result             string // of initialize; an error object when it has a code
		version            string // to be spoken; "" when the start fails
		message            []string
	}{
		{name: "the latest", pin: "auto", offered: "2025-11-25", result: `{"protocolVersion":"2025-11-25"}`, version: "2025-11-25"},
		{name: "an older one of the server", offered: "2025-11-25", result: `{"protocolVersion":"2024-11-05"}`, version: "2024-11-05"},
		{name: "the oldest", offered: "2025-11-25", result: `{"protocolVersion":"2024-10-07"}`, version: "2024-10-07"},
		{name: "pinned", pin: "2025-03-26", offered: "2025-03-26", result: `{"protocolVersion":"2025-03-26"}`, version: "2025-03-26"},
		{name: "pinned, answered with another", pin: "2025-06-18", offered: "2025-06-18", result: `{"protocolVersion":"2025-03-26"}`, version: "2025-03-26"},
		{name: "unknown", offered: "2025-11-25", result: `{"protocolVersion":"2030-01-01"}`, message: []string{"2030-01-01", "2024-11-05", "2025-11-25"}},
		{name: "none", offered: "2025-11-25", result: `{}`, message: []string{"no version"}},
		{name: "no string", offered: "2025-11-25", result: `{"protocolVersion":7}`, message: []string{"no version"}},
		{name: "no object", offered: "2025-11-25", result: `[]`, message: []string{"not an object"}},
		{
			name: "refused", offered: "2025-11-25",
			result:  `{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}`,
			message: []string{"Unsupported protocol version", "2026-07-28", "2025-11-25"},
		},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newMemServer()
			m.leave("initialize")
			h := &memHost{}
			c := newMemClient(t, m, h, func(o *Options) { o.Protocol = tt.pin })
			started := make(chan error, 1)
			go func() { started <- c.Start().Wait(t.Context()) }()
			w := <-m.wires
			r := w.request(t, "initialize")
			want := `{"protocolVersion":"` + tt.offered + `","capabilities":{},"clientInfo":{"name":"test","version":"0"}}`
			if string(r.Params) != want {
				t.Errorf("initialize has params %s, want %s", r.Params, want)
			}
			if rawjson.Get([]byte(tt.result), "code") != nil {
				w.refuse(r, tt.result)
			} else {
				w.reply(r, tt.result)
			}
			err := <-started
			if tt.version != "" {
				if err != nil {
					t.Fatal(err)
				}
				if s := c.Status(); s.State != StateReady || s.ProtocolVersion != tt.version || s.PID != 42 || s.Err != nil {
					t.Errorf("status %+v", s)
				}
				synctest.Wait()
				if m.times("notifications/initialized") != 1 {
					t.Error("no initialized was sent")
				}
				return
			}
			e := wantKind(t, err, wire.KindProtocol)
			for _, part := range tt.message {
				if !strings.Contains(e.Message, part) {
					t.Errorf("%q does not name %q", e.Message, part)
				}
			}
			if s := c.Status(); s.State != StateFailed || s.Err != e {
				t.Errorf("status %+v", s)
			}
			synctest.Wait()
			if !w.wasKilled() {
				t.Error("the process was not killed")
			}
			if n := len(m.dialed()); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}

func TestPinnedToAnUnknownVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		c := newMemClient(t, m, &memHost{}, func(o *Options) { o.Protocol = "2030-01-01" })
		e := wantKind(t, c.Start().Wait(t.Context()), wire.KindProtocol)
		if !strings.Contains(e.Message, "2030-01-01") || !strings.Contains(e.Message, "2025-11-25") {
			t.Errorf("the message does not name both sides: %s", e.Message)
		}
		if len(m.dialed()) != 0 {
			t.Error("the server was started all the same")
		}
	})
}

// A server may ping, log and, though it should not, ask before it has answered
// initialize.
func TestServerSpeaksBeforeTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.leave("initialize")
		h := &memHost{}
		c := newMemClient(t, m, h, nil)
		started := make(chan error, 1)
		go func() { started <- c.Start().Wait(t.Context()) }()
		w := <-m.wires
		r := w.request(t, "initialize")
		w.say(t, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		if got := w.response(t); got != `{"jsonrpc":"2.0","id":"p","result":{}}` {
			t.Error(got)
		}
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"early"}}`)
		w.say(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		if got := w.response(t); got != `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}` {
			t.Error(got)
		}
		w.reply(r, memInitialize)
		if err := <-started; err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(c.LogLines(10), "mcp: [info] early") {
			t.Errorf("the log has %q", c.LogLines(10))
		}
		s := c.Status()
		if s.Instructions != "be kind" || string(s.ServerInfo) != `{"name":"mem","version":"1"}` || !strings.Contains(string(s.Capabilities), "tools") {
			t.Errorf("status %+v", s)
		}
	})
}

func TestCapabilities(t *testing.T) {
	for _, tt := range []struct {
		name, version, capabilities, method string
		missing                             string // "" when the method passes
	}{
		{name: "tools", capabilities: `{"tools":{}}`, method: "tools/call"},
		{name: "no tools", capabilities: `{"prompts":{}}`, method: "tools/call", missing: "tools"},
		{name: "tools null", capabilities: `{"tools":null}`, method: "tools/list", missing: "tools"},
		{name: "prompts", capabilities: `{"prompts":{"listChanged":false}}`, method: "prompts/get"},
		{name: "no prompts", capabilities: `{}`, method: "prompts/get", missing: "prompts"},
		{name: "resources", capabilities: `{"resources":{}}`, method: "resources/read"},
		{name: "templates", capabilities: `{"resources":{}}`, method: "resources/templates/list"},
		{name: "no resources", capabilities: `{"resource":{}}`, method: "resources/templates/list", missing: "resources"},
		{name: "subscribe", capabilities: `{"resources":{"subscribe":true}}`, method: "resources/subscribe"},
		{name: "subscribe false", capabilities: `{"resources":{"subscribe":false}}`, method: "resources/subscribe", missing: "resources.subscribe"},
		{name: "no subscribe", capabilities: `{"resources":{}}`, method: "resources/unsubscribe", missing: "resources.subscribe"},
		{name: "logging", capabilities: `{"logging":{}}`, method: "logging/setLevel"},
		{name: "no logging", capabilities: `{}`, method: "logging/setLevel", missing: "logging"},
		{name: "completions", capabilities: `{"completions":{}}`, method: "completion/complete"},
		{name: "no completions", capabilities: `{}`, method: "completion/complete", missing: "completions"},
		{name: "completion before there was a capability", version: "2024-11-05", capabilities: `{}`, method: "completion/complete"},
		{name: "ping", capabilities: `{}`, method: "ping"},
		{name: "of an extension", capabilities: `{}`, method: "vendor/thing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.version == "" {
				tt.version = wire.Version20251125
			}
			p := &peer{name: "mem", version: tt.version, capabilities: json.RawMessage(tt.capabilities)}
			err := p.check(tt.method)
			if tt.missing == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if e := wantKind(t, err, wire.KindCapabilityNotSupported); e.Detail != tt.missing {
				t.Errorf("detail %q, want %q", e.Detail, tt.missing)
			}
		})
	}
}

func TestUndeclaredIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		c, w := startMem(t, m, &memHost{}, nil)
		_, err := c.Call(t.Context(), Call{Method: "prompts/get"})
		wantKind(t, err, wire.KindCapabilityNotSupported)
		_, err = c.List(t.Context(), ListResources)
		wantKind(t, err, wire.KindCapabilityNotSupported)
		synctest.Wait()
		w.quiet(t)
	})
}
