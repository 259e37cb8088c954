package mcpclient

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// lose answers r as a wire does whose session is lost, and ends the wire.
func (w *memWire) lose(r *wire.Request) {
	lost := wire.Errorf(wire.KindSessionLost, "", "the session is lost")
	w.fail(r, lost)
	w.end(lost)
}

// startHTTP returns a ready Client of a server of the legacy era behind Streamable HTTP.
func startHTTP(t *testing.T, m *memServer, h *memHost) (*Client, *memWire) {
	m.streamable = true
	c, w := startMem(t, m, h, nil)
	<-time.After(relistInterval)
	return c, w
}

// A request that was refused because the session is lost was not read: it is sent
// once more in a new session. Other requests under way may have been read (MCP
// 2025-11-25, Streamable HTTP, Session Management).
func TestSessionLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{}
		m := newMemServer()
		c, w := startHTTP(t, m, h)
		begun := time.Now()
		under := goCall(t.Context(), c, Call{Method: "tools/call"})
		w.request(t, "tools/call")
		lost := []<-chan memResult{
			goCall(t.Context(), c, Call{Method: "vendor/one"}),
			goCall(t.Context(), c, Call{Method: "vendor/two"}),
		}
		first, second := (<-w.asked).(*wire.Request), (<-w.asked).(*wire.Request)
		w.fail(first, wire.Errorf(wire.KindSessionLost, "", "the session is lost"))
		w.quiet(t) // it waits for the new session
		w.lose(second)
		wantKind(t, (<-under).err, wire.KindGone)
		next := <-m.wires
		for range 2 {
			next.reply((<-next.asked).(*wire.Request), `{"ok":true}`)
		}
		for _, done := range lost {
			(<-done).is(t, `{"ok":true}`)
		}
		if d := time.Since(begun); d != 0 {
			t.Errorf("it took %v", d)
		}
		synctest.Wait() // the host is told of the state after those who waited for it
		h.wantStates(t, StateStarting, StateReady, StateRestarting, StateStarting, StateReady)
		if n := c.Status().Restarts; n != 1 {
			t.Errorf("%d restarts", n)
		}
		next.quiet(t)
	})
}

// It is sent once more, and only once.
func TestSessionLostTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		c, w := startHTTP(t, m, &memHost{})
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		w.lose(w.request(t, "tools/call"))
		next := <-m.wires
		next.lose(next.request(t, "tools/call"))
		wantKind(t, (<-done).err, wire.KindSessionLost)
		if n := m.times("tools/call"); n != 2 {
			t.Errorf("sent %d times", n)
		}
	})
}

// The session is opened again without anybody asking, but not in a tight loop.
func TestSessionsLostAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		_, w := startHTTP(t, m, &memHost{})
		<-time.After(time.Minute)
		w.end(wire.Errorf(wire.KindSessionLost, "", "the session is lost"))
		begun := time.Now()
		if <-m.wires; time.Since(begun) != 0 {
			t.Errorf("after %v", time.Since(begun))
		}
		m.prepare = func(w *memWire, _ wire.LogSink) {
			time.AfterFunc(100*time.Millisecond, func() { w.end(wire.Errorf(wire.KindSessionLost, "", "the session is lost")) })
		}
		before := len(m.dialed())
		<-time.After(time.Hour)
		if n := len(m.dialed()) - before; n > 130 {
			t.Errorf("%d sessions in an hour", n)
		}
	})
}

// Fault http-refused: a server that cannot be reached is tried for ever, but no oftener than it asks.
func TestUnreachable(t *testing.T) {
	for _, tt := range []struct {
		name     string
		err      *wire.Error
		ends     bool // the wire ends with it, as it does without a connection
		from, to time.Duration
	}{
		{name: "unreachable", err: wire.Errorf(wire.KindUnreachable, "", "no route"), ends: true, from: 30 * time.Second, to: time.Minute},
		{name: "503", err: wire.Errorf(wire.KindHTTP, "503", "unavailable"), from: 30 * time.Second, to: time.Minute},
		{name: "429 that says when", err: &wire.Error{Kind: wire.KindHTTP, Detail: "429", Message: "slowly", RetryAfter: 20 * time.Minute}, from: 20 * time.Minute, to: 20 * time.Minute},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			m.streamable = true
			m.wires = make(chan *memWire, 1000)
			m.take("server/discover", func(w *memWire, r *wire.Request) {
				w.fail(r, tt.err)
				if tt.ends {
					w.end(tt.err)
				}
			})
			h := &memHost{}
			c := newMemClient(t, m, h, nil)
			wantKind(t, c.Start().Wait(t.Context()), tt.err.Kind) // whoever starts it is told the first time
			<-time.After(3*time.Hour + 10*time.Minute)
			synctest.Wait()
			dials := m.dialed()
			if d := dials[len(dials)-1].Sub(dials[len(dials)-2]); d < tt.from || d > tt.to {
				t.Errorf("the last pause of %d was %v", len(dials), d)
			}
			if s := c.Status(); s.State != StateRestarting || s.Err.Kind != tt.err.Kind || slices.Contains(h.states(), StateFailed) {
				t.Errorf("status %+v", s)
			}

			// A call tries at once, unless the server said when, and waits for one attempt.
			before, begun := len(dials), time.Now()
			wantKind(t, failure(c.Call(t.Context(), Call{Method: "vendor/thing"})), wire.KindNotReady)
			if tt.err.RetryAfter == 0 {
				before++
			}
			if n := len(m.dialed()); n != before || time.Since(begun) != 0 {
				t.Errorf("%d attempts, want %d, after %v", n, before, time.Since(begun))
			}
			m.answer("server/discover", memDiscover)
			m.answer("vendor/thing", `{}`)
			if tt.err.RetryAfter == 0 {
				c.must(t, Call{Method: "vendor/thing"})
			}
		})
	}
}

// A server that no waiting will mend has failed; the reason is given as it is.
func TestRefusedForGood(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  *wire.Error
		ends bool
		kind wire.Kind
		call wire.Kind // of a call afterwards
	}{
		{"401", wire.Errorf(wire.KindUnauthorized, "", "requires authentication"), true, wire.KindUnauthorized, wire.KindNotReady},
		{"401, sign in", signIn(), true, wire.KindSignInNeeded, wire.KindSignInNeeded},
		{"403, a scope", wire.Errorf(wire.KindScope, "a b", "more is needed"), false, wire.KindSignInNeeded, wire.KindSignInNeeded},
		{"403", wire.Errorf(wire.KindHTTP, "403", "forbidden"), false, wire.KindProtocol, wire.KindNotReady},
		{"400", wire.Errorf(wire.KindHTTP, "400", "bad request"), false, wire.KindProtocol, wire.KindNotReady},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newMemServer()
			m.streamable = true
			refuse := func(w *memWire, r *wire.Request) {
				w.fail(r, tt.err)
				if tt.ends {
					time.AfterFunc(time.Second/4, func() { w.end(tt.err) }) // as a wire does on which there are other calls
				}
			}
			m.take("server/discover", refuse)
			m.take("initialize", refuse)
			c := newMemClient(t, m, &memHost{}, nil)
			e := wantKind(t, c.Start().Wait(t.Context()), tt.kind)
			if e.Kind == wire.KindSignInNeeded && (e.Message != tt.err.Message || e.Detail != tt.err.Detail) {
				t.Errorf("it failed with %q, detail %q", e.Message, e.Detail)
			}
			<-time.After(time.Hour)
			if s := c.Status(); s.State != StateFailed || len(m.dialed()) != 1 {
				t.Errorf("%d starts, status %+v", len(m.dialed()), s)
			}
			wantKind(t, failure(c.Call(t.Context(), Call{Method: "ping"})), tt.call)
		})
	}
}

// A server of the modern era that was replaced by one of the legacy era is initialized,
// and the request that it refused is sent once more.
func TestServerIsReplacedByAnOlderOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.streamable = true
		c, _ := startMem(t, m, &memHost{}, nil)
		<-time.After(time.Minute)
		replaced := memError + `{"code":-32022,"message":"no","data":{"supported":["2025-11-25"],"requested":"2026-07-28"}}`
		m.answer("server/discover", replaced)
		m.answer("initialize", memInitialize)
		m.take("tools/call", func(w *memWire, r *wire.Request) {
			if m.times("initialize") == 0 {
				w.in <- memResponse(r.ID, replaced)
				return
			}
			w.reply(r, `{"done":true}`)
		})
		result, err := c.Call(t.Context(), Call{Method: "tools/call"})
		if err != nil || string(result) != `{"done":true}` {
			t.Errorf("got %s, %v", result, err)
		}
		if v := c.Status().ProtocolVersion; v != wire.Version20251125 {
			t.Errorf("%s is spoken", v)
		}
		if n := m.times("tools/call"); n != 2 {
			t.Errorf("sent %d times", n)
		}
	})
}

// A wire gives a request the very error for which it ends. Its reader leaves it as it is.
func TestSharedReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		lost := wire.Errorf(wire.KindUnreachable, "", "no route")
		m.prepare = func(_ *memWire, log wire.LogSink) { log.Line(wire.LogStderr, "boom") }
		m.take("initialize", func(w *memWire, r *wire.Request) {
			w.fail(r, lost)
			time.AfterFunc(time.Millisecond, func() { w.end(lost) })
		})
		c := newMemClient(t, m, &memHost{}, nil)
		if e := wantKind(t, c.Start().Wait(t.Context()), wire.KindUnreachable); len(e.Stderr) != 1 {
			t.Errorf("stderr %q", e.Stderr)
		}
		if lost.Stderr != nil {
			t.Errorf("the error of the wire has got %q", lost.Stderr)
		}
	})
}
