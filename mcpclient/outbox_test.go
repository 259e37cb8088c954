package mcpclient

import (
	"context"
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
