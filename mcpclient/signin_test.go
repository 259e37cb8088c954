package mcpclient

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func signIn() *wire.Error {
	return wire.Errorf(wire.KindSignInNeeded, "", "mem.test wants you to sign in")
}

// A session whose access token is refused is over until somebody starts the server. Calls that were
// refused say that the user has to sign in, and so do all later ones; none is sent again. A call that
// was being carried out says that it is not repeated.
func TestSignInNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{}
		m := newMemServer()
		c, w := startHTTP(t, m, h)
		under := goCall(t.Context(), c, Call{Method: "tools/call"})
		w.request(t, "tools/call")
		told := make(chan memResult, 1)
		c.Begin(Call{Method: "vendor/two"}, nil, func(result json.RawMessage, err error, _ *cork.Cork) { told <- memResult{result, err} })
		refused := []<-chan memResult{goCall(t.Context(), c, Call{Method: "vendor/one"}), told}
		first, second := (<-w.asked).(*wire.Request), (<-w.asked).(*wire.Request)
		w.fail(first, signIn())
		w.fail(second, signIn())
		w.quiet(t)
		for _, done := range refused {
			if len(done) > 0 {
				t.Error("who is told to sign in finds the server ready")
			}
		}
		w.end(signIn())
		for _, done := range refused {
			wantKind(t, (<-done).err, wire.KindSignInNeeded)
			if states := h.states(); states[len(states)-1] != StateFailed {
				t.Error("who is told to sign in finds the server ready")
			}
		}
		if e := wantKind(t, (<-under).err, wire.KindGone); !strings.Contains(e.Message, "not repeated") || !strings.Contains(e.Message, signIn().Message) {
			t.Errorf("got %q", e.Message)
		}

		<-time.After(time.Hour)
		if s := c.Status(); s.State != StateFailed || s.Err.Kind != wire.KindSignInNeeded || len(m.dialed()) != 1 {
			t.Errorf("%d starts, status %+v", len(m.dialed()), s)
		}
		_, called := c.Call(t.Context(), Call{Method: "tools/call"})
		_, listed := c.List(t.Context(), wire.ListTools)
		begun := make(chan error, 1)
		c.Begin(Call{Method: "tools/call"}, nil, func(_ json.RawMessage, err error, _ *cork.Cork) { begun <- err })
		for _, err := range []error{called, listed, <-begun, c.Notify(t.Context(), "notifications/x", nil)} {
			if e := wantKind(t, err, wire.KindSignInNeeded); e.Message != signIn().Message {
				t.Errorf("got %q", e.Message)
			}
		}

		c.Start().must(t)
		next := <-m.wires
		<-time.After(relistInterval)
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		next.reply(next.request(t, "tools/call"), `{"ok":true}`)
		(<-done).is(t, `{"ok":true}`)
		h.wantStates(t, StateStarting, StateReady, StateFailed, StateStarting, StateReady)
	})
}

// A server that lets itself be initialized, but not asked what it offers, is never ready.
func TestSignInNeededToList(t *testing.T) {
	for _, tt := range []struct {
		name, refused string
		serve         func() *memServer
	}{
		{"legacy", "tools/list", newMemServer},
		{"modern", "tools/list", newModernServer},
		{"the stream of changes", wire.MethodListen, newModernServer},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := tt.serve()
			m.streamable = true
			m.take(tt.refused, func(w *memWire, r *wire.Request) {
				w.fail(r, signIn())
				time.AfterFunc(time.Second/4, func() { w.end(signIn()) })
			})
			h := &memHost{}
			c := newMemClient(t, m, h, nil)
			wantKind(t, c.Start().Wait(t.Context()), wire.KindSignInNeeded)
			if got, want := h.states()[len(h.states())-1], StateFailed; got != want || slices.Contains(h.states(), StateReady) {
				t.Errorf("states %v", h.states())
			}
		})
	}
}

// A scope that is missing concerns one request: the server is ready, its log says what failed, and
// nothing is asked for over and over again.
func TestScopeMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.streamable = true
		scope := wire.Errorf(wire.KindScope, "tools:read", "tools:read is needed")
		for _, method := range []string{"tools/list", wire.MethodListen} {
			m.take(method, func(w *memWire, r *wire.Request) { w.fail(r, scope) })
		}
		m.answer("vendor/thing", `{}`)
		c, w := startMem(t, m, &memHost{}, nil)
		<-time.After(time.Hour)
		if _, err := c.Call(t.Context(), Call{Method: "vendor/thing"}); err != nil || c.Status().State != StateReady {
			t.Errorf("%v, status %+v", err, c.Status())
		}
		if e := wantKind(t, failure(c.List(t.Context(), wire.ListTools)), wire.KindScope); e.Detail != "tools:read" {
			t.Errorf("%+v", e)
		}
		wantLog(t, c, "tools/list failed, the list is kept as it was: tools:read is needed")
		if n := m.times(wire.MethodListen); n > 3 {
			t.Errorf("%d times", n)
		}
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		w.fail(w.request(t, "tools/call"), scope)
		wantKind(t, (<-done).err, wire.KindScope)
		if s := c.Status(); s.State != StateReady || len(m.dialed()) != 1 {
			t.Errorf("%d starts, status %+v", len(m.dialed()), s)
		}
	})
}
