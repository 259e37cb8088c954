//go:build linux || darwin

package editors

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// patience ends waits that would otherwise hang. Nothing is measured by it.
const patience = 45 * time.Second

// world is one user's machine: home, configuration, a workspace folder, socket and daemon, all under
// one short directory.
type world struct {
	t         *testing.T
	dir       string // canonical
	folder    string // the workspace
	terminals []*terminal
}

// newWorld returns a world whose user has the server "fake", which does what script says. It ends with
// the test, and everything that runs in it must then end too.
func newWorld(t *testing.T, script fakeserver.Script) *world {
	t.Helper()
	// Not t.TempDir: a socket's path has room for about a hundred bytes.
	dir, err := os.MkdirTemp("/tmp", "eds")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, folder: filepath.Join(dir, "acme")}
	for _, name := range []string{"home", "run", "acme", "acme/.git"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(w.end)
	text, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	fake := map[string]any{
		"command": filepath.Join(binaries, "fakeserver"),
		"env":     map[string]string{fakeserver.Env: string(text)},
		"scope":   "user", // one for all, so that a terminal sees what it is told
	}
	config, err := json.Marshal(map[string]any{"credentials": "file", "servers": map[string]any{"fake": fake}})
	if err != nil {
		t.Fatal(err)
	}
	w.write(w.home(".config/mcp-editord/mcp.json"), string(config))
	return w
}

// env is the environment of every process of the world.
func (w *world) env() []string {
	return []string{
		"PATH=" + binaries + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + w.home(),
		"XDG_CONFIG_HOME=" + w.home(".config"),
		"XDG_CACHE_HOME=" + w.home(".cache"),
		"XDG_DATA_HOME=" + w.home(".local/share"),
		"XDG_STATE_HOME=" + filepath.Join(w.dir, "state"),
		"XDG_RUNTIME_DIR=" + filepath.Join(w.dir, "run"),
		// Named, so that nothing here reaches the daemon of who runs the tests.
		"MCP_EDITORD_SOCKET=" + filepath.Join(w.dir, "run", "d.sock"),
		"MCP_EDITORD_CONFIG=" + w.home(".config/mcp-editord/mcp.json"),
		"DBUS_SESSION_BUS_ADDRESS=",
		"LC_ALL=C.UTF-8",
		"SHELL=/bin/sh",
		// Without the second that a process with the race detector takes to end.
		"GORACE=atexit_sleep_ms=0 log_path=" + filepath.Join(w.dir, "race"),
	}
}

// home returns the path of a file in the user's home.
func (w *world) home(below ...string) string {
	return filepath.Join(append([]string{w.dir, "home"}, below...)...)
}

// write writes a file and the directories it is in. A relative path is one in the workspace.
func (w *world) write(path, text string) {
	w.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.folder, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// append appends a text to a file.
func (w *world) append(path, more string) {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(path, string(text)+more)
}

// replace replaces a text in a file, wherever it is there.
func (w *world) replace(path, old, with string) {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		w.t.Fatalf("%s has no %q", path, old)
	}
	w.write(path, strings.ReplaceAll(string(text), old, with))
}

// run runs mcp-editord to its end and returns what it printed.
func (w *world) run(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(binaries, "mcp-editord"), args...)
	cmd.Env, cmd.Dir = w.env(), w.folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("mcp-editord %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// attached waits until an editor that calls itself client has attached, and the server is ready for it.
func (w *world) attached(client string) {
	w.t.Helper()
	log := filepath.Join(w.dir, "state/mcp-editord/daemon.log")
	want := []byte(`"msg":"an editor has attached","client":"` + client + `"`)
	if !await(func() bool { text, _ := os.ReadFile(log); return bytes.Contains(text, want) }) {
		w.t.Fatalf("no editor attached as %q", client)
	}
	w.run("tools", "fake")
}

// processes returns the processes of the world: those that have its directory in their environment or
// as their working directory. It finds none where there is no /proc.
func (w *world) processes() map[int]string {
	found := map[int]string{}
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range environs {
		env, _ := os.ReadFile(path) // it may have ended, or be another user's
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(path), "cwd"))
		if !bytes.Contains(env, []byte(w.dir)) && !strings.HasPrefix(cwd, w.dir) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if pid := number(filepath.Base(filepath.Dir(path))); pid != 0 && len(line) > 0 {
			found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return found
}

// end ends the world, and fails the test over what should not be left of it.
func (w *world) end() {
	defer os.RemoveAll(w.dir)
	if w.t.Failed() {
		w.explain()
	}
	for _, x := range w.terminals {
		x.close()
	}
	// An editor that still opens something would start another daemon.
	await(func() bool {
		for _, line := range w.processes() {
			if strings.HasSuffix(strings.TrimSpace(line), " attach") {
				return false
			}
		}
		return true
	})
	w.run("stop")
	if !await(func() bool { return len(w.processes()) == 0 }) {
		for pid, line := range w.processes() {
			w.t.Errorf("process %d is left: %s", pid, line)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		w.explain()
	}
	races, err := filepath.Glob(filepath.Join(w.dir, "race.*"))
	if err != nil {
		w.t.Error(err)
	}
	for _, path := range races {
		w.t.Errorf("the race detector says:\n%s", tail(path))
	}
}

// explain prints what a failure can be understood from.
func (w *world) explain() {
	for _, x := range w.terminals {
		screen, _ := x.look()
		w.t.Logf("the screen:\n%s", screen)
	}
	for _, path := range []string{
		filepath.Join(w.dir, "state/mcp-editord/daemon.log"),
		filepath.Join(w.dir, "state/mcp-editord/daemon.err"),
		w.home(".cache/helix/helix.log"),
	} {
		if text := tail(path); text != "" {
			w.t.Logf("the end of %s:\n%s", filepath.Base(path), text)
		}
	}
}

// tail returns the end of a file, "" when there is none.
func tail(path string) string {
	const most = 8 << 10
	text, _ := os.ReadFile(path)
	return string(text[max(0, len(text)-most):])
}

// await waits until holds returns true, asking again and again: for conditions that nobody can
// announce. It returns false when that never comes.
func await(holds func() bool) bool { return awaitFor(patience, holds) }

// awaitFor is await with a limit of its own.
func awaitFor(limit time.Duration, holds func() bool) bool {
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(limit)
	for !holds() {
		if time.Now().After(deadline) {
			return false
		}
		<-tick.C
	}
	return true
}
