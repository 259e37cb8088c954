//go:build linux || darwin

package daemon

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// A restart right after the server is ready is a real restart, even if the daemon has not noted the
// end of the start yet.
func TestRestartRightAfterTheStart(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	a, s := attachEditor(t, d, folder)
	first := s.await(t, "ready")

	d.mu.Lock()
	c := a.(*editor).on[first.Name]
	late := c.starting
	if late == nil { // already noted: pretend that it is not
		held := &start{over: make(chan struct{})}
		c.starting, late = held, held
		time.AfterFunc(time.Millisecond, func() { close(held.over) })
	}
	d.mu.Unlock()

	second, err := a.RestartServer(first.Name)(t.Context())
	if err != nil || second.State != "ready" || second.PID == first.PID {
		t.Errorf("after the restart: %+v, %v; the process before was %d", second, err, first.PID)
	}
	<-late.over
}

// An editor attaches while servers of an earlier daemon are being ended. Its own server starts
// afterwards: it could be taken for one of them.
func TestNoStartBeforeTheLeftoversHaveEnded(t *testing.T) {
	d, folder, release := newHeldDaemon(t)
	_, s := attachEditor(t, d, folder)
	s.await(t, "starting")
	d.mu.Lock()
	var c *connection
	for _, c = range d.conns {
	}
	d.mu.Unlock()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 100 { // a Dial that does not wait takes either way
		if w, err := c.Dial(gone, nil); w != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("it was dialled: %v, %v", w, err)
		}
	}
	d.dialing.Wait()
	started := func() bool { return slices.Contains(d.log.Core().(*eventLog).last(), "daemon: starting") }
	if started() {
		t.Error("a server was started")
	}
	release()
	s.await(t, "ready")
	if !started() {
		t.Error("the log does not say that the server was started")
	}
}
