//go:build linux || darwin

package daemon

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// slow holds up telling: each notification announces itself on waits, and all lets them through.
func slow(s *screen) (waits <-chan struct{}, all func()) {
	asks, open := make(chan struct{}, 1000), make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = func() {
		asks <- struct{}{}
		<-open
	}
	return asks, func() { close(open) }
}

// An editor that is slow to read is told the last of many changes, not each of them. The others are
// told meanwhile.
func TestPromise8TheLastChangeIsTold(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	s := newScreen()
	waits, all := slow(s)
	a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
	_, quick := attachEditor(t, d, folder)
	<-waits
	quick.await(t, "ready")
	c := a.(*editor).connection("fake")
	const changes = 5000
	for i := range changes {
		c.StatusChanged(mcpclient.Status{State: mcpclient.StateReady, Restarts: i + 1})
	}
	isLast := func(v editorapi.Server) bool { return v.Restarts == changes }
	quick.until(t, "the last change", func() bool { return slices.ContainsFunc(quick.servers, isLast) })
	all()
	s.until(t, "the last change", func() bool { return slices.ContainsFunc(s.servers, isLast) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.news) > 3 { // one was under way; the next is the last
		t.Errorf("it was told %d times: %q", len(s.news), s.news[:4])
	}
}

// connection returns the connection on which e has a server.
func (e *editor) connection(server string) *connection {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	return e.on[server]
}

// Before an answer describes a server, the editor has been told the same, however slowly it reads.
func TestAnswersComeAfterWhatTheySay(t *testing.T) {
	_, _, a, s := newReady(t)
	waits, all := slow(s)
	stopped := begins(t.Context(), a.StopServer("fake"))
	<-waits
	select {
	case <-stopped:
		t.Error("answered before the editor was told")
	default:
	}
	all()
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.news, "fake stopped") {
		t.Errorf("the editor was told %q", s.news)
	}
}

// An editor is told that a server is no longer defined, after the last news about it, and told again
// when it comes back.
func TestRemovedServer(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	a, s := attachEditor(t, d, folder)
	file := filepath.Join(folder, ".mcp.json")
	define(t, file, "one", "two")
	s.awaitLast(t, "one needsApproval")
	s.awaitLast(t, "two needsApproval")
	define(t, file, "two")
	s.awaitLast(t, "one removed")
	define(t, file, "one", "two")
	s.awaitLast(t, "one needsApproval")
	a.ChangeFolders(opened(t.TempDir()))
	s.awaitLast(t, "one removed")
	s.awaitLast(t, "two removed")
	a.ChangeFolders(opened(folder))
	s.awaitLast(t, "one needsApproval")
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := strings.Count(strings.Join(s.news, "\n"), "one removed"); n != 2 {
		t.Errorf("one was removed %d times: %q", n, s.news)
	}
}
