package mcpclient

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// lived is a server whose life a test controls, with the wires it has had.
type lived struct {
	*memServer
	c     *Client
	wires []*memWire
}

// alive returns the wires that have not ended.
func (l *lived) alive() (alive []*memWire) {
	for len(l.memServer.wires) > 0 {
		l.wires = append(l.wires, <-l.memServer.wires)
	}
	for _, w := range l.wires {
		select {
		case <-w.over:
		default:
			alive = append(alive, w)
		}
	}
	return alive
}

func (l *lived) start(t *testing.T) {
	t.Helper()
	l.c.Start().must(t)
}

// exit ends the server as its own death does.
func (l *lived) exit() *Transition {
	for _, w := range l.alive() {
		w.exit()
	}
	return nil
}

// Fault crossed-commands: the last request holds, whatever it meets. Every pair of a start, a stop,
// a restart and an exit, in every state of the server; the second comes at once, when the first has
// come as far as it gets without waiting, and 2 s later.
func TestWhatWasAskedLastHolds(t *testing.T) {
	states := []struct {
		name  string
		up    bool // it will be ready if nothing is asked
		reach func(t *testing.T, l *lived)
	}{
		{"stopped", false, func(*testing.T, *lived) {}},
		{"starting", true, func(_ *testing.T, l *lived) {
			l.take("initialize", func(w *memWire, r *wire.Request) {
				l.answer("initialize", memInitialize)
				time.AfterFunc(3*time.Second, func() { w.reply(r, memInitialize) })
			})
			l.c.Start()
		}},
		{"ready", true, func(t *testing.T, l *lived) { l.start(t) }},
		{"busy", true, func(t *testing.T, l *lived) { // a stop waits for the call
			l.start(t)
			goCall(t.Context(), l.c, Call{Method: "tools/call"})
		}},
		{"slow to end", true, func(t *testing.T, l *lived) { // like one that ignores SIGTERM
			l.prepare = func(w *memWire, _ wire.LogSink) {
				w.stuck = make(chan struct{})
				go func() {
					<-w.over
					<-time.After(4 * time.Second)
					close(w.stuck)
				}()
			}
			l.start(t)
		}},
		{"failed", false, func(_ *testing.T, l *lived) {
			l.refuse = wire.Errorf(wire.KindSpawn, "", "no such command")
			l.c.Start()
			synctest.Wait()
			l.refuse = nil
		}},
		{"restarting by itself", true, func(t *testing.T, l *lived) {
			l.start(t)
			l.exit()
		}},
	}
	steps := map[string]func(l *lived) *Transition{
		"start":   func(l *lived) *Transition { return l.c.Start() },
		"stop":    func(l *lived) *Transition { return l.c.Stop() },
		"restart": func(l *lived) *Transition { return l.c.Restart() },
		"exit":    (*lived).exit,
	}
	pauses := map[string]func(){
		"at once": func() {},
		"then":    synctest.Wait,
		"later":   func() { <-time.After(2 * time.Second) },
	}
	for _, state := range states {
		for first := range steps {
			for second := range steps {
				for pause := range pauses {
					bubble(t, state.name+": "+first+", "+pause+" "+second, func(t *testing.T) {
						l := &lived{memServer: newMemServer()}
						l.c = newMemClient(t, l.memServer, &memHost{}, nil)
						state.reach(t, l)
						synctest.Wait()
						asked := []*Transition{steps[first](l)}
						pauses[pause]()
						asked = append(asked, steps[second](l))
						<-time.After(time.Minute)
						synctest.Wait()

						up := state.up
						for _, step := range []string{first, second} {
							if step != "exit" {
								up = step != "stop"
							}
						}
						if got := l.c.Status().State; up != (got == StateReady) {
							t.Errorf("it ends up %s", got)
						}
						if n := len(l.alive()); n > 1 || up != (n == 1) {
							t.Errorf("%d servers run", n)
						}
						for _, transition := range asked {
							if transition == nil {
								continue
							}
							select {
							case <-transition.done:
							default:
								t.Errorf("%s is not over", transition.doing)
							}
						}
						l.c.Close()
						<-time.After(time.Minute)
					})
				}
			}
		}
	}
}

// A restart is one transition: the server is not stopped in between, and the server that two
// restarts lead to answers both requests.
func TestRestartIsOneTransition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{}
		c, _ := startMem(t, newMemServer(), h, nil)
		goCall(t.Context(), c, Call{Method: "tools/call"})
		synctest.Wait()
		first, second := c.Restart(), c.Restart()
		for _, transition := range []*Transition{first, second} {
			transition.must(t)
		}
		want := []State{StateStarting, StateReady, StateRestarting, StateStarting, StateReady}
		if got := h.states(); !slices.Equal(got, want) {
			t.Errorf("states %v, want %v", got, want)
		}
		if n := c.Status().Restarts; n != 1 {
			t.Errorf("%d restarts", n)
		}
	})
}
