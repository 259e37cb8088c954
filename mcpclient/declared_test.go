package mcpclient

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const memElicit = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`

// A server of the legacy era knows what it was told in initialize, and may ask for no more.
func TestDeclareInTheLegacyEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		h := &memHost{request: func(_ context.Context, ask Ask) (json.RawMessage, error) {
			told = append(told, string(ask.Told))
			return json.RawMessage(`{}`), nil
		}}
		m := newMemServer()
		c, w := startMem(t, m, h, func(o *Options) { o.Capabilities = json.RawMessage(`{"roots":{}}`) })
		c.Declare(json.RawMessage(`{"roots":{},"elicitation":{}}`))
		w.say(t, memElicit)
		if got := w.response(t); !strings.Contains(got, "-32601") {
			t.Errorf("the server was not told of elicitation, and got %s", got)
		}
		if got := string(c.Status().Told); got != `{"roots":{}}` {
			t.Errorf("the status says that it was told %s", got)
		}

		renewing := c.Renew()
		if renewing == nil {
			t.Fatal("a server that is ready was not initialized anew")
		}
		renewing.must(t)
		w = <-m.wires
		if got := string(c.Status().Told); got != `{"roots":{},"elicitation":{}}` {
			t.Errorf("after that the status says %s", got)
		}
		c.Declare(nil)
		w.say(t, memElicit)
		if got := w.response(t); !strings.Contains(got, `"result"`) {
			t.Errorf("the server was told of elicitation, and got %s", got)
		}
		if want := []string{`{"roots":{},"elicitation":{}}`}; !slices.Equal(told, want) {
			t.Errorf("the host heard that it was told %s, want %s", told, want)
		}
	})
}

// A server of 2026-07-28 is told with each request. It may ask for what the call said, though less
// is declared meanwhile, and lists anew what it offers.
func TestDeclareInTheModernEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const before, after = `{"roots":{"listChanged":true},"elicitation":{}}`, `{"roots":{"listChanged":true}}`
		var told []string
		h := &memHost{request: func(_ context.Context, ask Ask) (json.RawMessage, error) {
			told = append(told, string(ask.Told))
			return json.RawMessage(`{}`), nil
		}}
		m := newModernServer()
		c, w := startMem(t, m, h, func(o *Options) { o.Capabilities = json.RawMessage(before) })
		if got := c.Status().Told; got != nil {
			t.Errorf("the status says that it was told %s once and for all", got)
		}
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		first := w.request(t, "tools/call")
		synctest.Wait()
		listed := m.times("tools/list")
		c.Declare(json.RawMessage(after))
		c.Declare(json.RawMessage(after))
		time.Sleep(2 * relistInterval)
		synctest.Wait()
		if got := m.times("tools/list"); got != listed+1 {
			t.Errorf("the tools were listed %d times because of it, want once", got-listed)
		}
		w.reply(first, `{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create"}}}`)
		again := w.request(t, "tools/call")
		w.reply(again, `{}`)
		(<-done).ok(t)
		goCall(t.Context(), c, Call{Method: "tools/call"})
		for i, r := range []*wire.Request{first, again, w.request(t, "tools/call")} {
			want := `{"roots":{},"elicitation":{}}`
			if i == 2 {
				want = `{"roots":{}}`
			}
			if got := string(rawjson.Path(r.Params, "_meta", wire.MetaCapabilities)); got != want {
				t.Errorf("request %d said %s, want %s", i+1, got, want)
			}
		}
		if want := []string{`{"roots":{},"elicitation":{}}`}; !slices.Equal(told, want) {
			t.Errorf("the host heard that it was told %s, want %s", told, want)
		}
	})
}

// Calls wait while a server is initialized anew. A server that is not ready is left alone, and a stop
// holds.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		c := newMemClient(t, m, &memHost{}, nil)
		if c.Renew() != nil {
			t.Error("a server that nobody has started was initialized anew")
		}
		c.Start().must(t)
		first := <-m.wires
		renewing := c.Renew()
		if c.Renew() != nil {
			t.Error("it was initialized anew twice at once")
		}
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		second := <-m.wires
		second.reply(second.request(t, "tools/call"), `{"n":1}`)
		(<-done).is(t, `{"n":1}`)
		renewing.must(t)
		select {
		case <-first.over:
		default:
			t.Error("the first session goes on")
		}
		if s, counts := c.Status(), c.Counters(); s.Restarts != 0 || counts["initializedAnew"] != 1 {
			t.Errorf("it counts %d restarts and %d renewals", s.Restarts, counts["initializedAnew"])
		}

		c.Renew()
		done = goCall(t.Context(), c, Call{Method: "tools/call"})
		c.Stop().must(t)
		wantKind(t, (<-done).err, wire.KindNotReady)
		if s := c.Status().State; s != StateStopped || c.Renew() != nil {
			t.Errorf("after a stop it is %s", s)
		}
	})
}

// A server that fails when it is initialized anew fails the calls that wait for it.
func TestRenewFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		c, _ := startMem(t, m, &memHost{}, nil)
		m.refuse = wire.Errorf(wire.KindSpawn, "", "gone")
		renewing := c.Renew()
		wantKind(t, failure(c.Call(t.Context(), Call{Method: "tools/call"})), wire.KindNotReady)
		if err := renewing.Wait(t.Context()); err == nil || c.Status().State != StateFailed {
			t.Errorf("%v, and the status is %+v", err, c.Status())
		}
	})
}
