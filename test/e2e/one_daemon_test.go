//go:build linux || darwin

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// starved is the environment that is left of that of the world when a program passes on almost nothing,
// as env -i HOME=… PATH=… USER=… does. More is added to it.
func (w *world) starved(more ...string) []string {
	return append([]string{"HOME=" + filepath.Join(w.dir, "home"), "PATH=" + os.Getenv("PATH"), "USER=somebody"}, more...)
}

// Faults other-daemon and no-runtime-dir: one daemon, whatever the environment. This runs on the state
// directory below HOME, where a starved environment looks too.
func TestOneDaemon(t *testing.T) {
	t.Parallel()
	t.Run("on a socket that is named", func(t *testing.T) {
		w := newWorld(t)
		rich := w.starved("MCP_EDITORD_SOCKET="+w.socket, "XDG_RUNTIME_DIR="+filepath.Join(w.dir, "run"), "LANG=C.UTF-8")
		w.sameDaemon(rich, w.starved())
	})
	t.Run("on the socket in the state directory", func(t *testing.T) {
		if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Geteuid()))); err == nil {
			t.Skip("this user has a runtime directory, and maybe a daemon in it")
		}
		w := newWorld(t)
		run := filepath.Join(w.dir, "home/.local/state/mcp-editord/run")
		stdout, stderr, code := w.runWith(w.starved("XDG_RUNTIME_DIR="+filepath.Join(w.dir, "run")), "start")
		w.socket = strings.TrimSpace(stdout)
		if host := filepath.Dir(w.socket); code != 0 || filepath.Dir(host) != run || filepath.Base(w.socket) != "daemon.sock" {
			t.Fatalf("start: code %d, %q, %q", code, stdout, stderr)
		}
		for _, dir := range []string{run, filepath.Dir(w.socket), filepath.Dir(run)} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the directory %s: %v, %v", dir, info, err)
			}
		}
		w.sameDaemon(w.starved("XDG_RUNTIME_DIR="+filepath.Join(w.dir, "run")), w.starved())
	})
}

// sameDaemon checks that a start in each environment gives one daemon, on the socket of the world, and
// ends it.
func (w *world) sameDaemon(environments ...[]string) {
	w.t.Helper()
	for i, env := range environments {
		if stdout, stderr, code := w.runWith(env, "start"); code != 0 || strings.TrimSpace(stdout) != w.socket {
			w.t.Fatalf("start in environment %d: code %d, %q, %q; want %s", i, code, stdout, stderr, w.socket)
		}
	}
	pid := strconv.Itoa(w.daemonPID())
	for i, env := range environments {
		if stdout, stderr, code := w.runWith(env, "status"); code != 0 || !strings.Contains(stdout, pid) {
			w.t.Errorf("status in environment %d is not of process %s: code %d, %q, %q", i, pid, code, stdout, stderr)
		}
	}
	if stdout, stderr, code := w.runWith(environments[len(environments)-1], "stop"); code != 0 || !strings.Contains(stdout, pid) {
		w.t.Errorf("stop: code %d, %q, %q", code, stdout, stderr)
	}
}

// Fault other-daemon: who names another socket or configuration than the daemon has is told, and changes
// nothing.
func TestAnotherDaemonIsNamed(t *testing.T) {
	w := newWorld(t)
	w.must("start")
	daemon := w.daemonPID()
	other := filepath.Join(w.dir, "run", "other.sock")
	for _, named := range [][]string{{"--socket", other}, {"--config", filepath.Join(w.dir, "other.json")}} {
		for _, command := range []struct {
			args []string
			code int
		}{
			{[]string{"attach"}, 1}, {[]string{"start"}, 1}, {[]string{"status"}, 1}, {[]string{"stop"}, 1}, {[]string{"servers"}, 1},
			{[]string{"serve"}, 1},
		} {
			stdout, stderr, code := w.run(append(command.args, named...)...)
			if code != command.code || stdout != "" || !strings.Contains(stderr, w.socket) || !strings.Contains(stderr, "mcp-editord stop") {
				t.Errorf("%q: code %d, %q, %q", append(command.args, named...), code, stdout, stderr)
			}
		}
	}
	w.vars = []string{"MCP_EDITORD_CONFIG=" + filepath.Join(w.dir, "other.json")}
	if _, stderr, code := w.run("start"); code != 1 || !strings.Contains(stderr, "unset MCP_EDITORD_CONFIG") {
		t.Errorf("a variable: code %d, %q", code, stderr)
	}
	w.vars = nil
	if now := w.daemonPID(); now != daemon {
		t.Errorf("the daemon was process %d and is %d", daemon, now)
	}

	// What is left of a daemon that was killed names nothing.
	w.kill(daemon)
	await(t, "the daemon is gone", func() bool { return w.daemonPID() == 0 })
	if stdout, stderr, code := w.run("start", "--socket", other); code != 0 || strings.TrimSpace(stdout) != other {
		t.Errorf("after the daemon was killed: code %d, %q, %q", code, stdout, stderr)
	}
	if stdout, stderr, code := w.run("stop", "--socket", other); code != 0 || !strings.Contains(stdout, "has stopped") {
		t.Errorf("stop: code %d, %q, %q", code, stdout, stderr)
	}
}
