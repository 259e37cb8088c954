package mcpclient

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A greedyWire takes all at once, and has the next message by the time that it has taken one.
type greedyWire struct {
	*memWire
	post     func()
	borrowed int // writes by those who post
	left     atomic.Int32
}

func (w *greedyWire) more() {
	if w.left.Add(-1) >= 0 {
		w.post()
	}
}

func (w *greedyWire) TryWrite(...wire.Message) bool {
	w.borrowed++
	w.more()
	return true
}

func (w *greedyWire) Write(context.Context, wire.Message) error {
	w.more()
	return nil
}

// Promise 4: whoever posts a message writes only so much of what others post meanwhile. An editor
// whose reader did not stop would wait for all others.
func TestPromise4WritersAreBorrowedForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &greedyWire{}
		s := &session{wire: w}
		w.post = func() { s.post(&wire.Request{ID: wire.NumberID(1), Method: "x"}, nil) }
		w.left.Store(10_000)
		w.post()
		synctest.Wait()
		if w.borrowed > maxBorrowed {
			t.Errorf("who posted one message wrote %d times", w.borrowed)
		}
		if left := w.left.Load(); left >= 0 {
			t.Errorf("%d messages were not written", left)
		}
	})
}

// startUnread starts a session with a server of which the test reads every message, and has a call written
// that nobody has read yet.
func startUnread(t *testing.T) (*Client, *memWire, <-chan memResult) {
	m := newMemServer()
	m.prepare = func(w *memWire, _ wire.LogSink) { w.asked = make(chan wire.Message) }
	c, w := startMem(t, m, &memHost{}, nil)
	called := goCall(t.Context(), c, Call{Method: "tools/call"})
	synctest.Wait()
	return c, w, called
}

// An answer that came while many calls waited to be written is written, also when all of these are
// given up before.
func TestAnswerAfterCallsThatWereGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w, _ := startUnread(t)
		ctx, giveUp := context.WithCancel(t.Context())
		for range maxOutgoing {
			goCall(ctx, c, Call{Method: "tools/call"})
		}
		synctest.Wait()
		w.say(t, `{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`)
		synctest.Wait()
		giveUp()
		synctest.Wait()
		w.request(t, "tools/call")
		synctest.Wait()
		select {
		case m := <-w.asked:
			if r, ok := m.(*wire.Response); !ok || r.ID.String() != `"roots"` {
				t.Errorf("the client sent %+v", m)
			}
		default:
			t.Error("the server gets no answer")
		}
	})
}

// Fault server-stops-reading: a server that asks and does not read what it is sent is heard all the
// same, and nothing piles up for it.
func TestReaderDoesNotWaitForRoom(t *testing.T) {
	for _, method := range []string{"ping", "roots/list", "unknown"} {
		bubble(t, method, func(t *testing.T) {
			c, w, called := startUnread(t)
			call := w.request(t, "tools/call")
			for range maxOutgoing + 1 {
				go func() { _ = c.Notify(t.Context(), "notifications/x", nil) }()
				synctest.Wait() // the first of them is being written when the others come
			}
			const questions = 1000
			for id := range questions {
				w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method))
			}
			w.reply(call, `{}`)
			synctest.Wait()
			select {
			case r := <-called:
				if r.err != nil {
					t.Error(r.err)
				}
			default:
				t.Error("the answer to the call was not read")
			}
			if n := c.Counters()["refusedRequests"]; n != questions {
				t.Errorf("%d of %d requests were refused", n, questions)
			}
		})
	}
}
