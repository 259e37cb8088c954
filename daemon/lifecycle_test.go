//go:build linux || darwin

package daemon

import (
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A restart right after the server is ready is a real restart, even if the daemon has not noted the
// end of the start yet.
func TestRestartRightAfterTheStart(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	s := newScreen()
	a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
	defer a.Close()
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
