package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
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
// Logging). A request that it refused, or that was taken back, does not.
func TestKeptInTheLegacyEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		h := &memHost{}
		c, _ := startMem(t, m, h, nil)
		for _, uri := range []string{"b", "a", "c"} {
			subscribe(t, c, uri)
		}
		unsubscribe(t, c, "c")
		m.answer(wire.MethodSubscribe, memError+`{"code":-32002,"message":"no such resource"}`)
		if err := watch(t, c, wire.MethodSubscribe, "d"); err == nil {
			t.Error("it was refused and is watched")
		}
		wantKind(t, failure(c.call(t.Context(), Call{Method: wire.MethodSubscribe, Params: json.RawMessage(`{"uri":7}`)})), wire.KindInvalidParams)
		c.must(t, Call{Method: wire.MethodSetLevel, Params: json.RawMessage(`{"level":"warning"}`)})
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
		c.Restart().must(t)
		synctest.Wait()
		if got := m.sent(wire.MethodSubscribe)[subscribed:]; !slices.Equal(got, []string{`{"uri":"a"}`, `{"uri":"b"}`}) {
			t.Errorf("subscribed %q again", got)
		}
		if got := m.sent(wire.MethodSetLevel)[levels:]; !slices.Equal(got, []string{`{"level":"warning"}`}) {
			t.Errorf("set the levels %q again", got)
		}
		h.wantEnded(t, "a: the server did not accept it again: it is gone")
		// A subscription that has ended is asked for anew.
		subscribed = len(m.sent(wire.MethodSubscribe))
		if err := watch(t, c, wire.MethodSubscribe, "a"); err == nil || len(m.sent(wire.MethodSubscribe)) != subscribed+1 {
			t.Errorf("subscribed anew: %v", err)
		}
		// A server that no longer offers it is not asked.
		m.answer("initialize", `{"protocolVersion":"2025-11-25","capabilities":{}}`)
		subscribed = len(m.sent(wire.MethodSubscribe))
		c.Restart().must(t)
		synctest.Wait()
		if n := len(m.sent(wire.MethodSubscribe)) - subscribed; n != 0 || len(m.sent(wire.MethodSetLevel)) != levels+1 {
			t.Errorf("%d subscriptions", n)
		}
		h.wantEnded(t, "b: the server no longer offers subscriptions")
	})
}

// What was asked for in one era holds in the other.
func TestKeptOverEras(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		c, _ := startMem(t, m, &memHost{}, nil)
		subscribe(t, c, "a")
		c.must(t, Call{Method: wire.MethodSetLevel, Params: json.RawMessage(`{"level":"debug"}`)})
		now := newModernServer()
		now.answer("vendor/thing", `{}`)
		m.mu.Lock()
		m.takes = now.takes
		m.mu.Unlock()
		c.Restart().must(t)
		if got := m.filters(); !slices.Equal(got, []string{`{"toolsListChanged":true,"resourceSubscriptions":["a"]}`}) {
			t.Errorf("asked for %q", got)
		}
		c.must(t, Call{Method: "vendor/thing"})
		if p := m.requests("vendor/thing")[0].Params; string(rawjson.Path(p, "_meta", wire.MetaLogLevel)) != `"debug"` {
			t.Errorf("params %s", p)
		}
	})
}

// counted is a subscriber that counts.
type counted struct {
	joined, left int
	refuse       error
	others       bool // who stay when it leaves
}

func (c *counted) Join() error {
	c.joined++
	return c.refuse
}

func (c *counted) Leave() bool {
	c.left++
	return !c.others
}

// A subscriber joins before the server is asked, and leaves when it refuses. The server is
// asked for the first subscriber and told of the last.
func TestSubscribersJoinAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		c, _ := startMem(t, m, &memHost{}, nil)
		subscribe := Call{Method: wire.MethodSubscribe, Params: json.RawMessage(`{"uri":"a"}`)}
		unsubscribe := Call{Method: wire.MethodUnsubscribe, Params: json.RawMessage(`{"uri":"a"}`)}
		want := func(by *counted, joined, left int, asked string, n int) {
			t.Helper()
			if by.joined != joined || by.left != left || m.times(asked) != n {
				t.Errorf("joined %d times, left %d, the server got %s %d times", by.joined, by.left, asked, m.times(asked))
			}
		}
		full := &counted{refuse: errors.New("full")}
		if _, err := c.Subscribe(t.Context(), subscribe, full); err != full.refuse {
			t.Error(err)
		}
		want(full, 1, 0, wire.MethodSubscribe, 0)

		by := &counted{}
		m.answerBy(wire.MethodSubscribe, func(json.RawMessage) string {
			want(by, 1, 0, wire.MethodSubscribe, 1)
			return memError + `{"code":-32002,"message":"no such resource"}`
		})
		if _, err := c.Subscribe(t.Context(), subscribe, by); err == nil {
			t.Error("it was refused and is watched")
		}
		want(by, 1, 1, wire.MethodSubscribe, 1)

		m.answer(wire.MethodSubscribe, `{}`)
		for range 2 {
			if _, err := c.Subscribe(t.Context(), subscribe, by); err != nil {
				t.Error(err)
			}
		}
		want(by, 3, 1, wire.MethodSubscribe, 2)
		by.others = true
		if _, err := c.Unsubscribe(t.Context(), unsubscribe, by); err != nil {
			t.Error(err)
		}
		want(by, 3, 2, wire.MethodUnsubscribe, 0)
		by.others = false
		for range 2 { // the second time for the server to judge
			if _, err := c.Unsubscribe(t.Context(), unsubscribe, by); err != nil {
				t.Error(err)
			}
		}
		want(by, 3, 4, wire.MethodUnsubscribe, 2)
		if got := c.watched.list(); len(got) != 0 {
			t.Errorf("the book still has %q", got)
		}
	})
}

// Requests about resources wait for each other.
func TestSubscriptionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		c, w := startMem(t, m, &memHost{}, nil)
		m.leave(wire.MethodSubscribe)
		call := Call{Method: wire.MethodSubscribe, Params: json.RawMessage(`{"uri":"a"}`)}
		first := goCall(t.Context(), c, call)
		asked := w.request(t, wire.MethodSubscribe)
		impatient, cancel := context.WithCancel(t.Context())
		second, third := goCall(impatient, c, call), goCall(t.Context(), c, call)
		synctest.Wait()
		cancel()
		wantKind(t, (<-second).err, wire.KindCancelled)
		other := goCall(t.Context(), c, Call{Method: wire.MethodUnsubscribe, Params: json.RawMessage(`{"uri":"b"}`)})
		w.quiet(t)
		w.reply(asked, `{}`)
		for _, done := range []<-chan memResult{first, third, other} {
			(<-done).ok(t)
		}
		if n := m.times(wire.MethodSubscribe); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// Unsubscribing succeeds while there is no server.
func TestUnsubscribeWhileStopped(t *testing.T) {
	stop := func(t *testing.T, c *Client, _ *memWire) { c.Stop().must(t) }
	for _, tt := range []struct {
		name string
		m    *memServer
		end  func(t *testing.T, c *Client, w *memWire)
		kind wire.Kind
	}{
		{"2025-11-25", newResourceServer(), stop, wire.KindNotReady},
		{"2026-07-28", newModernServer(), stop, wire.KindNotReady},
		{"it wants a person to sign in", newResourceServer(), func(_ *testing.T, _ *Client, w *memWire) { w.end(signIn()) }, wire.KindSignInNeeded},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := tt.m
			m.wires = make(chan *memWire, 2)
			c, w := startMem(t, m, &memHost{}, nil)
			subscribe(t, c, "a")
			tt.end(t, c, w)
			synctest.Wait()
			subscribe(t, c, "a") // what will be watched again
			wantKind(t, watch(t, c, wire.MethodSubscribe, "b"), tt.kind)
			unsubscribe(t, c, "a")
			wantKind(t, watch(t, c, wire.MethodUnsubscribe, "b"), tt.kind)
			asked := len(m.sent(wire.MethodSubscribe))
			c.Start().must(t)
			synctest.Wait()
			if n := len(m.sent(wire.MethodSubscribe)); n != asked {
				t.Errorf("subscribed %d times again", n-asked)
			}
			if filters := m.filters(); len(filters) > 0 && filters[len(filters)-1] != `{"toolsListChanged":true}` {
				t.Errorf("asked for %q", filters)
			}
		})
	}
}

// Requests about resources wait for one that is being subscribed to again after a restart.
func TestRequestsWhileRestoring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		h := &memHost{}
		c, _ := startMem(t, m, h, nil)
		for _, uri := range []string{"a", "b", "c"} {
			subscribe(t, c, uri)
		}
		m.leave(wire.MethodSubscribe)
		m.leave(wire.MethodUnsubscribe)
		c.Restart().must(t)
		w := <-m.wires
		first := w.request(t, wire.MethodSubscribe)
		// A resource that nobody wants any more when it is its turn is not subscribed to.
		done := goCall(t.Context(), c, Call{Method: wire.MethodUnsubscribe, Params: json.RawMessage(`{"uri":"c"}`)})
		w.quiet(t)
		w.reply(first, `{}`)
		w.reply(w.request(t, wire.MethodUnsubscribe), `{}`)
		(<-done).ok(t)
		// A request about a subscription that is about to end has the server asked again.
		next := w.request(t, wire.MethodSubscribe)
		again := goCall(t.Context(), c, Call{Method: wire.MethodSubscribe, Params: next.Params})
		synctest.Wait()
		w.refuse(next, `{"code":-32002,"message":"it is gone"}`)
		w.reply(w.request(t, wire.MethodSubscribe), `{}`)
		(<-again).ok(t)
		w.quiet(t)
		h.wantEnded(t, "b: the server did not accept it again: it is gone")
		if got := c.watched.list(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("watched are %q", got)
		}
	})
}

// A session that has ended while it subscribed again ends no subscription: the next one asks.
func TestEndWhileRestoring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newResourceServer()
		h := &memHost{}
		c, _ := startMem(t, m, h, nil)
		subscribe(t, c, "a")
		m.leave(wire.MethodSubscribe)
		c.Restart().must(t)
		w := <-m.wires
		w.request(t, wire.MethodSubscribe)
		w.exit()
		w = <-m.wires
		w.reply(w.request(t, wire.MethodSubscribe), `{}`)
		synctest.Wait()
		if h.wantEnded(t); !c.watched.has("a") {
			t.Error("it is not watched")
		}
	})
}

// The book ignores every session but the last: the server of the last one was not asked.
func TestWatchedBelongsToTheLastSession(t *testing.T) {
	h := &memHost{}
	w := newWatched(h)
	before, now := &session{log: newServerLog().newLife(&counts{})}, &session{log: newServerLog().newLife(&counts{})}
	w.handTo(before)
	done, err := w.take(context.Background(), wire.MethodSubscribe)
	if err != nil {
		t.Fatal(err)
	}
	w.handTo(now)
	if w.add(before, "a") || w.has("a") {
		t.Error("it is watched by a session that is over")
	}
	if !w.add(now, "a") {
		t.Error("it is not watched")
	}
	done()
	w.end(before, "a", "over")
	if h.wantEnded(t); !w.has("a") {
		t.Error("a session that is over has ended it")
	}
	w.end(now, "a", "over")
	w.end(now, "a", "over")
	if h.wantEnded(t, "a: over"); w.has("a") {
		t.Error("it is still watched")
	}
}
