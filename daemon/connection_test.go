//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Promise 4: encoding a large notification for one editor takes long; the calls of others go on
// meanwhile.
func TestPromise4RelayingHoldsUpNobody(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	s := newScreen()
	begun, end := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(end) })
	defer release()
	s.relaying = sync.OnceFunc(func() {
		close(begun)
		<-end
	})
	slow := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
	other, screen := attachEditor(t, d, folder)
	screen.await(t, "ready")
	go slow.(*editor).connection("fake").Notification("notifications/x", json.RawMessage(`{}`))
	<-begun
	called := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), other, "tools/call", `{"name":"echo","arguments":{}}`)
		called <- err
	}()
	select {
	case err := <-called:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("the call waits for the notification of the other editor")
	}
	release()
	s.awaitRelayed(t, "notifications/x {}")
}

// Promise 4: an editor is told why a server failed without the daemon's lock, which everybody else needs.
func TestPromise4ComplaintsHoldNobodyUp(t *testing.T) {
	d, _ := newTestDaemon(t, 0)
	s := newScreen()
	s.saying = func() {
		free := make(chan struct{})
		go func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			close(free)
		}()
		select {
		case <-free:
		case <-time.After(10 * time.Second):
			t.Error("the daemon's lock is held")
		}
	}
	attachWith(t, d, s, editorapi.AttachParams{Servers: json.RawMessage(`{"fake":{"command":"/nowhere/at/all"}}`), AutoStart: true, DynamicCommands: true})
	s.until(t, "told why the server failed", func() bool { return len(s.said) > 0 })
}
