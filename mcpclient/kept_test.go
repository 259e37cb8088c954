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

const memResources = `{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true},"logging":{}}}`

// newResourceServer returns a server of the legacy era with resources.
func newResourceServer() *memServer {
	m := newMemServer()
	m.answer("initialize", memResources)
	m.answer("resources/list", `{"resources":[]}`)
	m.answer("resources/templates/list", `{"resourceTemplates":[]}`)
	for _, method := range []string{wire.MethodSubscribe, wire.MethodUnsubscribe, wire.MethodSetLevel} {
		m.answer(method, `{}`)
	}
	return m
}

// sent returns what the client has sent of a method, without _meta.
func (m *memServer) sent(method string) []string {
	var sent []string
	for _, r := range m.requests(method) {
		sent = append(sent, string(rawjson.Delete(r.Params, "_meta")))
	}
	return sent
}

// What a server was asked for holds after a restart (MCP 2025-11-25, Resources and
// Logging); what it refused, or was taken back, does not.
func TestKeptInTheLegacyEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		c, _ := startMem(t, m, &memHost{}, nil)
		for _, uri := range []string{"b", "a", "c"} {
			if err := watch(t, c, wire.MethodSubscribe, uri); err != nil {
				t.Error(err)
			}
		}
		if err := watch(t, c, wire.MethodUnsubscribe, "c"); err != nil {
			t.Error(err)
		}
		m.answer(wire.MethodSubscribe, memError+`{"code":-32002,"message":"no such resource"}`)
		if err := watch(t, c, wire.MethodSubscribe, "d"); err == nil {
			t.Error("it was refused and is watched")
		}
		_, err := c.Call(t.Context(), Call{Method: wire.MethodSubscribe, Params: json.RawMessage(`{"uri":7}`)})
		wantKind(t, err, wire.KindInvalidParams)
		if _, err := c.Call(t.Context(), Call{Method: wire.MethodSetLevel, Params: json.RawMessage(`{"level":"warning"}`)}); err != nil {
			t.Error(err)
		}
		m.answer(wire.MethodSetLevel, memError+`{"code":-32602,"message":"no such level"}`)
		if _, err := c.Call(t.Context(), Call{Method: wire.MethodSetLevel, Params: json.RawMessage(`{"level":"loud"}`)}); err == nil {
			t.Error("the level was refused and is set")
		}
		subscribed, levels := len(m.sent(wire.MethodSubscribe)), len(m.sent(wire.MethodSetLevel))
		m.answer(wire.MethodSetLevel, `{}`)
		m.answerBy(wire.MethodSubscribe, func(params json.RawMessage) string {
			if rawjson.String(params, "uri") == "a" {
				return memError + `{"code":-32002,"message":"it is gone"}`
			}
			return `{}`
		})
		if err := c.Restart().Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := m.sent(wire.MethodSubscribe)[subscribed:]; !slices.Equal(got, []string{`{"uri":"a"}`, `{"uri":"b"}`}) {
			t.Errorf("subscribed %q again", got)
		}
		if got := m.sent(wire.MethodSetLevel)[levels:]; !slices.Equal(got, []string{`{"level":"warning"}`}) {
			t.Errorf("set the levels %q again", got)
		}
		if !logged(c, "resources/subscribe a, asked again after a restart, failed: it is gone") {
			t.Errorf("log %q", c.LogLines(10))
		}
		// A server that offers it no more is not asked.
		m.answer("initialize", `{"protocolVersion":"2025-11-25","capabilities":{}}`)
		subscribed = len(m.sent(wire.MethodSubscribe))
		if err := c.Restart().Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(m.sent(wire.MethodSubscribe)) - subscribed; n != 0 || len(m.sent(wire.MethodSetLevel)) != levels+1 {
			t.Errorf("%d subscriptions", n)
		}
	})
}

// What was asked for in one era holds in the other.
func TestKeptOverEras(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		c, _ := startMem(t, m, &memHost{}, nil)
		if err := watch(t, c, wire.MethodSubscribe, "a"); err != nil {
			t.Error(err)
		}
		if _, err := c.Call(t.Context(), Call{Method: wire.MethodSetLevel, Params: json.RawMessage(`{"level":"debug"}`)}); err != nil {
			t.Error(err)
		}
		now := newModernServer()
		now.answer("vendor/thing", `{}`)
		m.mu.Lock()
		m.answers, m.takes = now.answers, now.takes
		m.mu.Unlock()
		if err := c.Restart().Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := m.filters(); !slices.Equal(got, []string{`{"toolsListChanged":true,"resourceSubscriptions":["a"]}`}) {
			t.Errorf("asked for %q", got)
		}
		if _, err := c.Call(t.Context(), Call{Method: "vendor/thing"}); err != nil {
			t.Error(err)
		}
		if p := m.requests("vendor/thing")[0].Params; string(rawjson.Path(p, "_meta", metaLogLevel)) != `"debug"` {
			t.Errorf("params %s", p)
		}
	})
}

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
			return string(rawjson.Path(all[len(all)-1].Params, "_meta", metaLogLevel))
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
		if got := level(`{"` + metaLogLevel + `":"info"}`); got != `"info"` {
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

// The modern era has no ping: what every server answers is server/discover.
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
