//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault daemon-stopped. One call is answered while the daemon waits for it, the other never is.
func TestTerminatedDaemonLetsCallsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"asks": w.fakeServer("asks", fakeserver.Script{}), "hangs": w.fakeServer("hangs", fakeserver.Script{})}.String())
	daemon := w.serve()
	release := make(chan struct{})
	o := in(allCapabilities, w.folder("project"))
	o.Answers = map[string]fakeeditor.Answer{"mcp/elicitation/create": func(json.RawMessage) (any, error) {
		<-release
		return object{"action": "accept", "content": object{"late": "answer"}}, nil
	}}
	e := w.connect(o)
	pids := []int{awaitReady(e, "asks").PID, awaitReady(e, "hangs").PID}
	asks := e.Start("mcp/tools/call", toolCall("asks", "ask_elicitation", object{}))
	hangs := e.Start("mcp/tools/call", toolCall("hangs", "hang", object{}))
	e.AwaitMethod("mcp/elicitation/create", asks)
	await(t, "the other server has its call", func() bool { return len(w.recorded("hangs", "tools/call")) == 1 })

	if err := syscall.Kill(daemon.pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await(t, "the socket is removed", func() bool {
		_, err := os.Lstat(w.socket)
		return os.IsNotExist(err)
	})
	close(release)
	if raw, err := asks.Wait(); err != nil || !strings.Contains(string(raw), `"late"`) {
		e.Fatalf("the call that could end: %s, %v", raw, err)
	}
	if _, err := hangs.Wait(); err == nil {
		e.Fatalf("the call that hangs was answered")
	} else {
		wantError(e, "the call that hangs", err, "serverGone", -32803)
	}
	await(t, "the daemon has ended", daemon.ended)
	if daemon.code != 0 || daemon.stderr.String() != "" {
		t.Errorf("it ends with code %d and says %q", daemon.code, daemon.stderr.String())
	}
	if slices.ContainsFunc(pids, alive) {
		t.Error("a server outlives its daemon")
	}
}

// An idle daemon ends; one with an editor is not idle.
func TestIdleDaemonEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	daemon := w.serve("--idle-timeout", "2s")
	e := w.connect(in(mcpCapabilities, w.folder("project")))
	pid := awaitReady(e, "fake").PID
	structured(e, "fake", "delay", object{"ms": 2500}, &struct{}{})
	if daemon.ended() {
		t.Fatal("it has ended under its editor")
	}
	e.Vanish()
	await(t, "the daemon has ended", daemon.ended)
	if daemon.code != 0 || alive(pid) {
		t.Errorf("it ends with code %d, the server lives: %v", daemon.code, alive(pid))
	}
	if _, err := os.Lstat(w.socket); !os.IsNotExist(err) {
		t.Errorf("its socket is still there (%v)", err)
	}
}
