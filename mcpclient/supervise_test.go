package mcpclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Fault command-missing: a server that cannot be run has failed at once.
func TestSpawnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.refuse = wire.Errorf(wire.KindSpawn, "", "no such command")
		h := &memHost{}
		c := newMemClient(t, m, h, nil)
		wantKind(t, c.Start().Wait(t.Context()), wire.KindSpawn)
		<-time.After(time.Hour)
		if n := len(m.dialed()); n != 1 {
			t.Errorf("%d starts", n)
		}
		m.refuse = errors.New("something else")
		wantKind(t, c.Start().Wait(t.Context()), wire.KindSpawn)
		m.refuse = nil
		c.Start().must(t)
		h.wantStates(t, StateStarting, StateFailed, StateStarting, StateFailed, StateStarting, StateReady)
	})
}

// Fault start-crash: a server that ends before the handshake is started again with growing
// pauses, and left alone after the fifth end.
func TestExitBeforeHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.prepare = func(w *memWire, log wire.LogSink) {
			log.Line(wire.LogStderr, fmt.Sprintf("boom %d", len(m.dialed())))
			w.end(wire.Errorf(wire.KindExit, "", "it exited with status 1; see its log"))
		}
		h := &memHost{}
		c := newMemClient(t, m, h, nil)
		e := wantKind(t, c.Start().Wait(t.Context()), wire.KindExit)
		if !slices.Equal(e.Stderr, []string{"boom 5"}) || e.Message != "it exited with status 1; it has ended 5 times within 3 minutes and does not start again by itself; see its log" {
			t.Errorf("error %+v", e)
		}
		dials := m.dialed()
		if len(dials) != 5 {
			t.Fatalf("%d starts, want 5", len(dials))
		}
		for i, step := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
			if d := dials[i+1].Sub(dials[i]); d < step/2 || d > step {
				t.Errorf("pause %d was %v, want %v to %v", i, d, step/2, step)
			}
		}
		<-time.After(time.Hour)
		if n := len(m.dialed()); n != 5 {
			t.Errorf("%d starts after it had failed", n-5)
		}
		s := c.Status()
		if s.State != StateFailed || s.Restarts != 4 {
			t.Errorf("status %+v", s)
		}
		for _, s := range h.all() {
			if s.State == StateRestarting && (s.Err == nil || s.Err.Kind != wire.KindExit) {
				t.Errorf("status %+v", s)
			}
		}
	})
}

func TestBackoff(t *testing.T) {
	now := time.Unix(0, 0)
	var b backoff
	for i, step := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 1} {
		now = now.Add(time.Minute) // so that five ends take longer than three minutes
		ready := time.Duration(0)
		if i == 8 {
			ready = time.Minute
		}
		wait, ok := b.ended(now, ready)
		if step *= time.Second; !ok || wait < step/2 || wait > step {
			t.Errorf("end %d: %v %v, want %v to %v", i, wait, ok, step/2, step)
		}
	}
	for i := range 3 {
		if _, ok := b.ended(now, 0); ok != (i < 1) { // three are within three minutes already
			t.Errorf("end %d of a quick series: %v", i, ok)
		}
	}
	if len(b.ends) > 20 {
		t.Errorf("%d ends are remembered", len(b.ends))
	}
}

// Fault start-silence: a server that runs but keeps silent is told apart from a dead one.
func TestStartTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.leave("initialize")
		m.prepare = func(_ *memWire, log wire.LogSink) { log.Line(wire.LogStderr, "installing") }
		c := newMemClient(t, m, &memHost{}, nil)
		before := time.Now()
		e := wantKind(t, c.Start().Wait(t.Context()), wire.KindStartTimeout)
		if d := time.Since(before); d != 30*time.Second {
			t.Errorf("it took %v", d)
		}
		if !strings.Contains(e.Message, "process 42") || !slices.Equal(e.Stderr, []string{"installing"}) {
			t.Errorf("error %+v", e)
		}
		synctest.Wait()
		w := <-m.wires
		if !w.wasKilled() {
			t.Error("the process was not killed")
		}
		w.request(t, "initialize")
		w.quiet(t) // "The initialize request MUST NOT be cancelled by clients"
		wantState(t, c, StateFailed, wire.KindStartTimeout)
		wantLog(t, c, "stderr: installing")
	})
}

// Fault stdout-noise: a server that prints instead of speaking MCP is told what it printed.
func TestStartOfAServerThatPrints(t *testing.T) {
	for _, test := range []struct {
		name string
		end  *wire.Error // of the wire; nil: it stays silent
		kind wire.Kind
		want string
	}{
		{"and waits", nil, wire.KindStartTimeout, `server "mem" wrote "Listening on port 3000" to its standard output, which is not MCP, and did not answer within 30 seconds; check that the command runs an MCP server on stdio`},
		{"and ends", wire.Errorf(wire.KindExit, "", "the server exited with code 1; see its log"), wire.KindExit, `the server exited with code 1 and had written "Listening on port 3000", which is not MCP; it has ended 5 times within 3 minutes and does not start again by itself; see its log`},
	} {
		bubble(t, test.name, func(t *testing.T) {
			m := newMemServer()
			m.leave("initialize")
			m.prepare = func(w *memWire, log wire.LogSink) {
				log.Line(wire.LogStdout, "")
				log.Line(wire.LogStdout, "Listening on port 3000")
				log.Line(wire.LogStdout, "more")
				if test.end != nil {
					w.end(test.end)
				}
			}
			c := newMemClient(t, m, &memHost{}, nil)
			e := wantKind(t, c.Start().Wait(t.Context()), test.kind)
			if e.Message != test.want {
				t.Errorf("got %s", e.Message)
			}
		})
	}
}

// Faults server-killed and stdout-noise: what ends a session that was ready.
func TestEndOfSession(t *testing.T) {
	for _, tt := range []struct {
		name   string
		reason error
		state  State
		kind   wire.Kind
		want   string // of the call; the cause is first
	}{
		{"exit", wire.Errorf(wire.KindExit, "", "the server was killed; see its log"), StateRestarting, wire.KindExit, `server "mem" was killed, and tools/call is not repeated; see its log`},
		{"no reason", errors.New("unexpected EOF"), StateRestarting, wire.KindExit, `unexpected EOF, and tools/call is not repeated`},
		{"it stopped reading", wire.Errorf(wire.KindUnresponsive, "", "it does not read"), StateRestarting, wire.KindUnresponsive, `server "mem" does not read, and tools/call is not repeated`},
		{"noise", wire.Errorf(wire.KindNotMCP, "", "not MCP"), StateFailed, wire.KindNotMCP, `server "mem": not MCP, and tools/call is not repeated`},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newMemServer()
			h := &memHost{}
			c, w := startMem(t, m, h, nil)
			done := goCall(t.Context(), c, Call{Method: "tools/call"})
			w.request(t, "tools/call")
			before := time.Now()
			w.end(tt.reason)
			e := wantKind(t, (<-done).err, wire.KindGone)
			if time.Since(before) != 0 || !strings.HasSuffix(e.Message, tt.want) {
				t.Errorf("after %v: %s", time.Since(before), e.Message)
			}
			synctest.Wait()
			if s := c.Status(); s.State != tt.state || s.Err == nil || s.Err.Kind != tt.kind || s.PID != 0 {
				t.Errorf("status %+v", s)
			}
			if tt.state == StateFailed {
				return
			}
			m.answer("tools/list", `{"tools":[{"name":"b"}]}`)
			<-time.After(10 * time.Second)
			synctest.Wait()
			if s := c.Status(); s.State != StateReady || s.Restarts != 1 || s.Err != nil {
				t.Errorf("status %+v", s)
			}
			(<-m.wires).quiet(t) // the call is not sent again
			if got := c.Lists().Of(wire.ListTools); len(got) != 1 || string(got[0]) != `{"name":"b"}` {
				t.Errorf("the list was not read again: %s", got)
			}
		})
	}
}

// A stop waits for calls, also for one that needs an input first.
func TestStopWaitsForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newModernServer(), &memHost{}, nil)
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		r := w.request(t, "tools/call")
		before := time.Now()
		stopped := c.Stop()
		synctest.Wait()
		if e := wantKind(t, failure(c.Call(t.Context(), Call{Method: "tools/call"})), wire.KindNotReady); e.Detail != "stopped" {
			t.Errorf("detail %q", e.Detail)
		}
		<-time.After(3 * time.Second)
		w.reply(r, `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`)
		w.reply(w.request(t, "tools/call"), `{"done":1}`)
		(<-done).is(t, `{"done":1}`)
		if stopped.must(t); time.Since(before) != 3*time.Second || w.wasKilled() {
			t.Errorf("stopped after %v; killed: %v", time.Since(before), w.wasKilled())
		}
	})
}

// Fault stop-ignored: a second Stop forces at once.
func TestSecondStopKills(t *testing.T) {
	for _, tt := range []struct {
		name string
		busy bool // in a call; else in closing
	}{{"while a call is waited for", true}, {"while the wire closes", false}} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newMemServer()
			m.prepare = func(w *memWire, _ wire.LogSink) { w.stuck = make(chan struct{}) }
			c, w := startMem(t, m, &memHost{}, nil)
			if tt.busy {
				goCall(t.Context(), c, Call{Method: "tools/call"})
				w.request(t, "tools/call")
			}
			before := time.Now()
			first := c.Stop()
			synctest.Wait()
			if w.wasKilled() {
				t.Fatal("the first Stop killed")
			}
			c.Stop().must(t)
			if err := first.Wait(t.Context()); err != nil || time.Since(before) != 0 {
				t.Errorf("stopped after %v: %v", time.Since(before), err)
			}
			if !w.wasKilled() || c.Status().State != StateStopped {
				t.Errorf("killed %v, status %+v", w.wasKilled(), c.Status())
			}
		})
	}
}

// Fault server-flaps: a server that ends all the time leaves nothing behind. The bubble fails
// when a goroutine is left. A Start during the back-off does not wait for it.
func TestManyLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		c, w := startMem(t, m, &memHost{}, nil)
		for i := range 50 {
			done := goCall(t.Context(), c, Call{Method: "tools/call", Owner: Owner{User: i + 1}})
			w.request(t, "tools/call")
			<-time.After(time.Minute)
			w.end(wire.Errorf(wire.KindExit, "", "end %d", i))
			<-done
			synctest.Wait()
			before := time.Now()
			if c.Start().must(t); time.Since(before) != 0 {
				t.Errorf("after %v", time.Since(before))
			}
			w = <-m.wires
		}
		if s := c.Status(); s.Restarts != 50 {
			t.Errorf("status %+v", s)
		}
		if n := len(c.LogLines(1 << 20)); n > maxLogLines {
			t.Errorf("%d lines of log", n)
		}
	})
}
