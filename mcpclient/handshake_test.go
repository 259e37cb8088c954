package mcpclient

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// The version that is offered, and the one that is spoken. TestEraOrder has the handshakes that fail.
func TestHandshake(t *testing.T) {
	for _, tt := range []struct{ name, pin, offered, answered string }{
		{"the latest", "auto", "2025-11-25", "2025-11-25"},
		{"an older one of the server", "", "2025-11-25", "2024-11-05"},
		{"the oldest", "", "2025-11-25", "2024-10-07"},
		{"pinned", "2025-03-26", "2025-03-26", "2025-03-26"},
		{"pinned, answered with another", "2025-06-18", "2025-06-18", "2025-03-26"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newMemServer()
			m.answer("initialize", `{"protocolVersion":"`+tt.answered+`"}`)
			c, _ := startMem(t, m, &memHost{}, func(o *Options) { o.Protocol = tt.pin })
			want := `{"protocolVersion":"` + tt.offered + `","capabilities":{},"clientInfo":{"name":"test","version":"0"}}`
			if got := string(m.requests("initialize")[0].Params); got != want {
				t.Errorf("initialize has params %s, want %s", got, want)
			}
			if s := c.Status(); s.State != StateReady || s.ProtocolVersion != tt.answered || s.PID != 42 || s.Err != nil {
				t.Errorf("status %+v", s)
			}
			synctest.Wait()
			if m.times("notifications/initialized") != 1 {
				t.Error("no initialized was sent")
			}
		})
	}
}

// A server may ping, log and, though it should not, ask before it has answered
// initialize. Who waits for it may give up; the start goes on.
func TestServerSpeaksBeforeTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.leave("initialize")
		c := newMemClient(t, m, &memHost{}, nil)
		started := c.Start()
		w := <-m.wires
		r := w.request(t, "initialize")
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		wantKind(t, started.Wait(impatient), wire.KindCancelled)
		w.say(t, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		if got := w.response(t); got != `{"jsonrpc":"2.0","id":"p","result":{}}` {
			t.Error(got)
		}
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"early"}}`)
		w.say(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		if got := w.response(t); got != `{"jsonrpc":"2.0","id":1,"result":{"to":"roots/list"}}` {
			t.Error(got)
		}
		w.reply(r, memInitialize)
		started.must(t)
		wantLog(t, c, "mcp: [info] early")
		s := c.Status()
		if s.Instructions != "be kind" || string(s.ServerInfo) != `{"name":"mem","version":"1"}` || !strings.Contains(string(s.Capabilities), "tools") {
			t.Errorf("status %+v", s)
		}
	})
}

func TestCapabilities(t *testing.T) {
	for _, tt := range []struct{ version, capabilities, method, missing string }{ // nothing is missing when the method passes
		{"2025-11-25", `{"tools":{}}`, "tools/call", ""},
		{"2025-11-25", `{"prompts":{}}`, "tools/call", "tools"},
		{"2025-11-25", `{"tools":null}`, "tools/list", "tools"},
		{"2025-11-25", `{"prompts":{"listChanged":false}}`, "prompts/get", ""},
		{"2025-11-25", `{}`, "prompts/get", "prompts"},
		{"2025-11-25", `{"resources":{}}`, "resources/read", ""},
		{"2025-11-25", `{"resources":{}}`, "resources/templates/list", ""},
		{"2025-11-25", `{"resource":{}}`, "resources/templates/list", "resources"},
		{"2025-11-25", `{"resources":{"subscribe":true}}`, "resources/subscribe", ""},
		{"2025-11-25", `{"resources":{"subscribe":false}}`, "resources/subscribe", "resources.subscribe"},
		{"2025-11-25", `{"resources":{}}`, "resources/unsubscribe", "resources.subscribe"},
		{"2025-11-25", `{"logging":{}}`, "logging/setLevel", ""},
		{"2025-11-25", `{}`, "logging/setLevel", "logging"},
		{"2025-11-25", `{"completions":{}}`, "completion/complete", ""},
		{"2025-11-25", `{}`, "completion/complete", "completions"},
		{"2024-11-05", `{}`, "completion/complete", ""},
		{"2025-11-25", `{}`, "ping", ""},
		{"2025-11-25", `{}`, "vendor/thing", ""},
	} {
		t.Run(tt.version+tt.capabilities+tt.method, func(t *testing.T) {
			err := (&peer{name: "mem", version: tt.version, capabilities: json.RawMessage(tt.capabilities)}).check(tt.method)
			if tt.missing == "" && err != nil {
				t.Error(err)
			} else if tt.missing != "" && wantKind(t, err, wire.KindCapabilityNotSupported).Detail != tt.missing {
				t.Errorf("got %+v, want %q", err, tt.missing)
			}
		})
	}
}
