package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// "To receive log messages for a specific request, include
// io.modelcontextprotocol/logLevel in the request's _meta" (MCP 2026-07-28, Logging).
func TestLogLevelInTheModernEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.answer("vendor/thing", `{}`)
		c, _ := startMem(t, m, &memHost{}, nil)
		level := func(meta string) string {
			t.Helper()
			if _, err := c.Call(t.Context(), Call{Method: "vendor/thing", Params: json.RawMessage(`{"_meta":` + meta + `}`)}); err != nil {
				t.Error(err)
			}
			all := m.requests("vendor/thing")
			return string(rawjson.Path(all[len(all)-1].Params, "_meta", wire.MetaLogLevel))
		}
		if got := level(`{}`); got != "" {
			t.Errorf("level %s before anybody asked", got)
		}
		for _, want := range []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
			result, err := c.Call(t.Context(), Call{Method: wire.MethodSetLevel, Params: json.RawMessage(`{"level":"` + want + `"}`)})
			if err != nil || string(result) != `{}` {
				t.Errorf("%s %v", result, err)
			}
			if got := level(`{}`); got != `"`+want+`"` {
				t.Errorf("level %s, want %s", got, want)
			}
		}
		if got := level(`{"` + wire.MetaLogLevel + `":"info"}`); got != `"info"` {
			t.Errorf("the editor's own level became %s", got)
		}
		for _, params := range []string{`{"level":"loud"}`, `{"level":"DEBUG"}`, `{"level":7}`, `{}`} {
			_, err := c.Call(t.Context(), Call{Method: wire.MethodSetLevel, Params: json.RawMessage(params)})
			wantKind(t, err, wire.KindInvalidParams)
		}
		if got := level(`{}`); got != `"emergency"` {
			t.Errorf("level %s after refusals", got)
		}
		if m.times(wire.MethodSetLevel) != 0 {
			t.Error("it was sent")
		}
	})
}

// The modern era has no ping, but every server answers server/discover.
func TestModernPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		c, _ := startMem(t, m, &memHost{}, nil)
		n := m.times("server/discover")
		if result, err := c.Call(t.Context(), Call{Method: "ping"}); err != nil || string(result) != `{}` {
			t.Errorf("%s %v", result, err)
		}
		if m.times("ping") != 0 || m.times("server/discover") != n+1 {
			t.Errorf("sent %v", m.methods())
		}
		m.answer("server/discover", memError+`{"code":-32603,"message":"ill"}`)
		if _, err := c.Call(t.Context(), Call{Method: "ping"}); err == nil || !strings.Contains(err.Error(), "ill") {
			t.Errorf("got %v", err)
		}
		// "notifications/roots/list_changed" is gone.
		if err := c.Notify(t.Context(), wire.MethodRootsChanged, nil); err != nil {
			t.Error(err)
		}
		if err := c.Notify(t.Context(), "notifications/vendor", nil); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if m.times(wire.MethodRootsChanged) != 0 || m.times("notifications/vendor") != 1 {
			t.Errorf("sent %v", m.methods())
		}
	})
}
