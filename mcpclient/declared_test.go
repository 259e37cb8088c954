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
		h := &askedHost{memHost: &memHost{}, ask: func(a Ask) { told = append(told, string(a.Told)) }}
		m := newMemServer()
		c, w := startMemWith(t, m, h, func(o *Options) { o.Capabilities = json.RawMessage(`{"roots":{}}`) })
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
		if err := renewing.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
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
		h := &askedHost{memHost: &memHost{}, ask: func(a Ask) { told = append(told, string(a.Told)) }}
		m := newModernServer()
		c, w := startMemWith(t, m, h, func(o *Options) { o.Capabilities = json.RawMessage(before) })
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
		if got := <-done; got.err != nil {
			t.Fatal(got.err)
		}
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
		if err := c.Start().Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := <-m.wires
		renewing := c.Renew()
		if c.Renew() != nil {
			t.Error("it was initialized anew twice at once")
		}
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		second := <-m.wires
		second.reply(second.request(t, "tools/call"), `{"n":1}`)
		if got := <-done; got.err != nil || string(got.result) != `{"n":1}` {
			t.Errorf("a call meanwhile: %s %v", got.result, got.err)
		}
		if err := renewing.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		select {
		case <-first.over:
		default:
			t.Error("the first session goes on")
		}
		if s, counts := c.Status(), c.Counters(); s.Restarts != 0 || counts.Renewed != 1 {
			t.Errorf("it counts %d restarts and %d renewals", s.Restarts, counts.Renewed)
		}

		c.Renew()
		done = goCall(t.Context(), c, Call{Method: "tools/call"})
		if err := c.Stop().Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
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
		m.prepare = func(*memWire, wire.LogSink) error { return wire.Errorf(wire.KindSpawn, "", "gone") }
		renewing := c.Renew()
		_, err := c.Call(t.Context(), Call{Method: "tools/call"})
		wantKind(t, err, wire.KindNotReady)
		if err := renewing.Wait(t.Context()); err == nil || c.Status().State != StateFailed {
			t.Errorf("%v, and the status is %+v", err, c.Status())
		}
	})
}

// The host learns which tool was called.
func TestOwnersTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var owners []Owner
		h := &askedHost{memHost: &memHost{}, ask: func(a Ask) { owners = a.Owners }}
		c, w := startMemWith(t, newMemServer(), h, nil)
		goCall(t.Context(), c, Call{Method: "tools/call", Params: json.RawMessage(`{"arguments":{"name":"no"},"name":"write_file"}`), Owner: Owner{User: 1}})
		w.request(t, "tools/call")
		goCall(t.Context(), c, Call{Method: "vendor/thing", Params: json.RawMessage(`{"name":"no"}`), Owner: Owner{User: 2}})
		w.request(t, "vendor/thing")
		w.say(t, `{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
		w.response(t)
		if want := []Owner{{User: 1, Tool: "write_file"}, {User: 2}}; !slices.Equal(owners, want) {
			t.Errorf("the owners are %+v, want %+v", owners, want)
		}
	})
}

// askedHost is a memHost that shows each Ask before it answers.
type askedHost struct {
	*memHost
	ask func(Ask)
}

func (h *askedHost) Request(ctx context.Context, a Ask) (json.RawMessage, error) {
	h.ask(a)
	return h.memHost.Request(ctx, a)
}

// startMemWith is startMem with a host of any type.
func startMemWith(t *testing.T, m *memServer, h Host, change func(o *Options)) (*Client, *memWire) {
	t.Helper()
	return startMem(t, m, &memHost{}, func(o *Options) {
		o.Host = h
		if change != nil {
			change(o)
		}
	})
}
