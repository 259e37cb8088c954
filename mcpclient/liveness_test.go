package mcpclient

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Fault clock-jump: the clock that says more counts.
func TestSilence(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name string
		last lastSign
		want time.Duration
	}{
		{"just now", lastSign{at: now, wall: now.Round(0)}, 0},
		{"awake", lastSign{at: now.Add(-time.Minute), wall: now.Round(0).Add(-time.Minute)}, time.Minute},
		{"the machine slept", lastSign{at: now, wall: now.Round(0).Add(-time.Hour)}, time.Hour},
		{"the clock was put back", lastSign{at: now.Add(-time.Minute), wall: now.Round(0).Add(time.Hour)}, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.last.silence(now); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A call on a wire that has been silent pings beside it.
func TestPing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		silent time.Duration
		pinged bool
		sign   func(w *memWire, call, ping *wire.Request) // of life; nil for none
		dead   bool
	}{
		{name: "not silent for long", silent: 59 * time.Second},
		{name: "dead", silent: time.Minute, pinged: true, dead: true},
		{name: "the ping is answered", silent: time.Hour, pinged: true, sign: func(w *memWire, _, ping *wire.Request) { w.reply(ping, `{}`) }},
		{name: "ping is an error", silent: time.Hour, pinged: true, sign: func(w *memWire, _, ping *wire.Request) {
			w.in <- &wire.Response{ID: ping.ID, Error: &wire.Error{Kind: wire.KindRPC, Code: -32601, Message: "what?"}}
		}},
		{name: "something else comes", silent: time.Hour, pinged: true, sign: func(w *memWire, _, _ *wire.Request) {
			w.in <- &wire.Request{Method: "notifications/other"}
		}},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newMemServer()
			m.leave("ping")
			c, w := startMem(t, m, &memHost{}, nil)
			synctest.Wait()
			<-time.After(tt.silent)
			before := time.Now()
			done := goCall(t.Context(), c, Call{Method: "tools/call", Timeout: time.Hour})
			var call, ping *wire.Request
			for i := 0; i == 0 || i == 1 && tt.pinged; i++ {
				if r := (<-w.asked).(*wire.Request); r.Method == "ping" {
					ping = r
				} else {
					call = r
				}
			}
			if call == nil || (ping != nil) != tt.pinged {
				t.Fatalf("call %v, ping %v", call, ping)
			}
			if tt.dead {
				e := wantKind(t, (<-done).err, wire.KindGone)
				if d := time.Since(before); d != pingTimeout || !strings.Contains(e.Message, "ping") {
					t.Errorf("after %v: %v", d, e)
				}
				synctest.Wait()
				if s := c.Status(); s.State != StateRestarting || s.Err.Kind != wire.KindUnresponsive || !w.wasKilled() {
					t.Errorf("status %+v, killed %v", s, w.wasKilled())
				}
				return
			}
			if tt.sign != nil {
				tt.sign(w, call, ping)
			}
			<-time.After(30 * time.Second)
			synctest.Wait()
			wantState(t, c, StateReady, "")
		})
	}
}

// A server that closes its input ends the session even if it goes on running;
// when it has exited, the reader says so.
func TestWriteFails(t *testing.T) {
	for _, tt := range []struct {
		name string
		exit bool
		kind wire.Kind
		wait time.Duration
	}{{"it runs", false, wire.KindUnresponsive, writeGrace}, {"it has exited", true, wire.KindExit, writeGrace / 2}} {
		bubble(t, tt.name, func(t *testing.T) {
			c, w := startMem(t, newMemServer(), &memHost{}, nil)
			synctest.Wait()
			w.mu.Lock()
			w.unfed = true
			w.mu.Unlock()
			before := time.Now()
			done := goCall(t.Context(), c, Call{Method: "tools/call"})
			if tt.exit {
				<-time.After(writeGrace / 2)
				w.exit()
			}
			wantKind(t, (<-done).err, wire.KindGone)
			if d := time.Since(before); d != tt.wait {
				t.Errorf("after %v, want %v", d, tt.wait)
			}
			synctest.Wait()
			wantState(t, c, StateRestarting, tt.kind)
		})
	}
}

// Fault server-stops-reading: callers do not wait for a server that has stopped reading.
func TestServerDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		broken := false
		m.prepare = func(w *memWire, _ wire.LogSink) {
			if !broken { // the first wire only
				broken = true
				w.asked = nil // a write to it blocks until it ends
			}
		}
		c, w := startMem(t, m, &memHost{}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantKind(t, failure(c.Call(ctx, Call{Method: "tools/call"})), wire.KindTimeout) // the caller does not wait for the pipe
		for range maxOutgoing {
			wantKind(t, failure(c.Call(ctx, Call{Method: "tools/call"})), wire.KindTimeout)
		}
		w.end(wire.Errorf(wire.KindUnresponsive, "", "it has not read for 10 s"))
		synctest.Wait()
		wantState(t, c, StateRestarting, wire.KindUnresponsive)
		wantLog(t, c, "restarting: it has not read")
	})
}
