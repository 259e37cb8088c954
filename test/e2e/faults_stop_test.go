//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// stubborn is a server that ignores the end of its input and SIGTERM.
func (w *world) stubborn(name string) map[string]any {
	s := fakeserver.Script{Steps: steps("start", object{"do": "ignore", "signal": int(syscall.SIGTERM)})}
	s.Steps["eof"] = steps("eof", object{"do": "hang"})["eof"]
	return w.fakeServer(name, s)
}

// Fault stop-ignored. The grace periods of the one that is stopped once are the clock for the
// one that is stopped twice.
func TestStubbornServerIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"once": w.stubborn("once"), "twice": w.stubborn("twice"), "good": w.fakeServer("good", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	pids := []int{awaitReady(e, "once").PID, awaitReady(e, "twice").PID}
	awaitReady(e, "good")

	once := e.Start("editord/stopServer", object{"server": "once"})
	first := e.Start("editord/stopServer", object{"server": "twice"})
	second := e.Start("editord/stopServer", object{"server": "twice"})
	served(e, "good")
	for _, pending := range []*fakeeditor.Pending{first, second} {
		if _, err := pending.Wait(); err != nil {
			e.Fatalf("stopping twice: %v", err)
		}
	}
	if once.Answered() {
		t.Error("the second stop was no faster than the grace periods of a first one")
	}
	raw, err := once.Wait()
	if err != nil {
		e.Fatalf("stopping once: %v", err)
	}
	var view editorapi.Server
	if unmarshal(t, raw, &view); view.State != "stopped" || view.PID != 0 {
		t.Errorf("it was stopped and is %+v", view)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}

// Fault left-behind.
func TestNothingIsLeftOfAStoppedServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	launcher := filepath.Join(w.dir, "launcher.pid")
	behind := filepath.Join(w.dir, "behind.pid")
	w.config(servers{
		// The launcher becomes the server, or waits for it.
		"exec":  w.launched("exec", `sleep 1000 & echo $! >`+launcher+`; exec "$0"`, fakeserver.Script{}),
		"child": w.launched("child", `sleep 1000 & echo $! >`+behind+`; "$0"; exit`, fakeserver.Script{}),
		"fork":  w.fakeServer("fork", fakeserver.Script{}),
	}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	pids := map[string]int{}
	for _, name := range []string{"exec", "child", "fork"} {
		pids[name] = awaitReady(e, name).PID
	}
	pids["the launcher's child"], pids["the waiting launcher's child"] = readPID(t, launcher), readPID(t, behind)
	for _, how := range []string{"group", "stdout", "setsid"} {
		var forked struct{ PID int }
		structured(e, "fork", "fork", object{"how": how}, &forked)
		pids[how] = forked.PID
	}
	for what, pid := range pids {
		if !alive(pid) {
			t.Fatalf("%s, process %d, is not alive", what, pid)
		}
	}
	for _, name := range []string{"exec", "child", "fork"} {
		stop(e, name)
	}
	for what, pid := range pids {
		if alive(pid) {
			t.Errorf("%s, process %d, is left", what, pid)
		}
	}
}

// Faults stale-socket and daemon-killed: the daemon is killed, and its servers with it, before the next one takes editors.
func TestNextDaemonEndsWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"stubborn": w.stubborn("stubborn")}.String())
	first := w.serve()
	e := w.connect(in(mcpCapabilities, w.folder("project")))
	pid := awaitReady(e, "stubborn").PID
	var forked struct{ PID int }
	structured(e, "stubborn", "fork", object{"how": "setsid"}, &forked)

	w.kill(first.pid)
	await(t, "the daemon has ended", first.ended)
	e.AwaitEnd()
	if _, err := os.Lstat(w.socket); err != nil {
		t.Fatalf("the socket of the killed daemon: %v", err)
	}
	stdout, stderr, code := w.run("start")
	if code != 0 || strings.TrimSpace(stdout) != w.socket {
		t.Fatalf("start ends with code %d, %q and %q", code, stdout, stderr)
	}
	if _, stderr, code := w.run("serve"); code != 3 || !strings.Contains(stderr, "already running") {
		t.Errorf("a daemon beside it ends with code %d and says %q", code, stderr)
	}
	next := w.connect(in(mcpCapabilities, w.folder("project")))
	for _, left := range []int{pid, forked.PID} {
		if alive(left) {
			t.Errorf("process %d (%s) outlives the start of the next daemon", left, commandLine(left))
		}
	}
	awaitReady(next, "stubborn")
	served(next, "stubborn")
}

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
