//go:build linux || darwin

package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/peercred"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// patience ends waits that would otherwise hang. Nothing is measured by it.
const patience = 2 * time.Minute

const testsPerProcessor = 2 // at once

// Where the binaries are that TestMain builds.
var daemonBinary, fakeserverBinary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mcp-editord-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// The server of the tests is not what is tested, and floods faster without the race detector.
	for program, flags := range map[string][]string{
		"cmd/mcp-editord":                        raceFlags(),
		"test/testkit/fakeserver/cmd/fakeserver": nil,
	} {
		args := append([]string{"build", "-o", dir + string(filepath.Separator)}, append(flags, module+program)...)
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building %s: %v\n%s", program, err, out)
			return 1
		}
	}
	daemonBinary = filepath.Join(dir, "mcp-editord")
	fakeserverBinary = filepath.Join(dir, "fakeserver")
	if err := runMoreAtOnce(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// runMoreAtOnce lets more tests run at once than there are processors, unless -parallel says how
// many: most of their time they wait for processes to start, to end, or to be given up.
func runMoreAtOnce() error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(testsPerProcessor*runtime.GOMAXPROCS(0)))
}

// world is one user's machine: home, configuration, workspace folders, socket and
// daemon, all under one short directory. It is for the goroutine of its test.
type world struct {
	t       *testing.T
	dir     string // canonical
	socket  string
	vars    []string // added to the environment of what is started from now on
	editors []*fakeeditor.Editor
	spawned []*process
}

// newWorld returns a world without a configuration and without a daemon, for a test that runs beside
// others.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return makeWorld(t)
}

// newWorldWith returns a world whose user has these fake servers.
func newWorldWith(t *testing.T, s scripts) *world {
	t.Helper()
	w, definitions := newWorld(t), servers{}
	for name, script := range s {
		definitions[name] = w.fakeServer(name, script)
	}
	w.config(definitions.String())
	return w
}

// makeWorld is newWorld for a test that runs by itself. The world ends with the test, and everything
// that runs in it must then end too. With -short only promises have one.
func makeWorld(t *testing.T) *world {
	t.Helper()
	if testing.Short() && !strings.HasPrefix(t.Name(), "TestPromise") {
		t.Skip("it is not about a promise of docs/promises.md")
	}
	// Not t.TempDir: a socket's path has room for about a hundred bytes.
	dir, err := os.MkdirTemp("/tmp", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, socket: filepath.Join(dir, "run", "mcp-editord", "daemon.sock")}
	for _, name := range []string{"home", "run", "ws"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(w.end)
	return w
}

// env is the environment of every process of the world. It names the world's
// directory, by which processes are found again.
func (w *world) env() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(w.dir, "home"),
		"XDG_CONFIG_HOME=" + filepath.Join(w.dir, "config"),
		"XDG_STATE_HOME=" + filepath.Join(w.dir, "state"),
		// Named, so that nothing here reaches the daemon of who runs the tests.
		"MCP_EDITORD_SOCKET=" + w.socket,
		// There is no bus, and so no keyring: that of who runs the tests is never used.
		"DBUS_SESSION_BUS_ADDRESS=unix:path=" + filepath.Join(w.dir, "run", "bus"),
		// Without the second that a process with the race detector takes to end.
		"GORACE=atexit_sleep_ms=0 log_path=" + filepath.Join(w.dir, "race"),
	}, w.vars...)
}

// state returns the path of a file of the daemon's state directory.
func (w *world) state(name string) string { return filepath.Join(w.dir, "state", "mcp-editord", name) }

func (w *world) configFile() string { return filepath.Join(w.dir, "config", "mcp-editord", "mcp.json") }

// config writes the user's mcp.json.
func (w *world) config(text string) {
	w.t.Helper()
	w.replace(w.configFile(), text)
}

// replace is write, but nobody ever sees half of the file.
func (w *world) replace(path, text string) {
	w.t.Helper()
	w.write(path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		w.t.Fatal(err)
	}
}

// folder makes a workspace folder and returns its path.
func (w *world) folder(name string) string {
	w.t.Helper()
	path := filepath.Join(w.dir, "ws", name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// write writes a file and the directories it is in.
func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// eachFile has the files of the world read. It passes over the names of folders.
func (w *world) eachFile(read func(path, content string)) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		read(path, string(content))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// attach returns an editor that has shaken hands through `mcp-editord attach`, which starts the daemon
// if there is none, and for which some servers are ready.
func (w *world) attach(o fakeeditor.Options, ready ...string) *fakeeditor.Editor {
	w.t.Helper()
	return w.open(w.spawn("attach"), o, ready...)
}

// connect is attach on the socket itself. The daemon must run.
func (w *world) connect(o fakeeditor.Options, ready ...string) *fakeeditor.Editor {
	w.t.Helper()
	conn, err := net.Dial("unix", w.socket)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.open(conn, o, ready...)
}

// daemonPID returns the id of the daemon's process, 0 when none listens.
func (w *world) daemonPID() int {
	w.t.Helper()
	conn, err := net.Dial("unix", w.socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return 0
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	daemon, err := peercred.Of(conn.(*net.UnixConn))
	if err != nil {
		w.t.Fatal(err)
	}
	return daemon.PID
}

// run runs mcp-editord to its end and returns what it wrote and its exit code.
func (w *world) run(args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	return w.runWith(w.env(), args...)
}

// must is run for what must succeed. It returns the standard output.
func (w *world) must(args ...string) string {
	w.t.Helper()
	stdout, stderr, code := w.run(args...)
	if code != 0 {
		w.t.Fatalf("mcp-editord %q ends with %d: %s%s", args, code, stdout, stderr)
	}
	return stdout
}

// runWith is run in another environment.
func (w *world) runWith(env []string, args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, daemonBinary, args...)
	cmd.Env, cmd.Dir = env, filepath.Join(w.dir, "home")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("running mcp-editord %q: %v", args, err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// processes returns the processes of the world: those that have its directory in
// their environment or as their working directory. It finds none where there is no /proc.
func (w *world) processes() []int {
	var pids []int
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range environs {
		env, _ := os.ReadFile(path) // it may have ended, or be another user's
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(path), "cwd"))
		if bytes.Contains(env, []byte(w.dir)) || strings.HasPrefix(cwd, w.dir) {
			var pid int
			if _, err := fmt.Sscanf(path, "/proc/%d/environ", &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// commandLine describes a process for messages, "" when it has ended.
func commandLine(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
}

// alive tells whether a process is there and has not ended.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return !bytes.Contains(stat, []byte(") Z "))
	}
	return syscall.Kill(pid, 0) == nil
}

// kill sends SIGKILL to one process.
func (w *world) kill(pid int) {
	w.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		w.t.Fatalf("killing process %d: %v", pid, err)
	}
}

// await waits until holds returns true, asking again and again: for conditions
// that nobody can announce.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !holdsSoon(holds) {
		t.Fatalf("still not so after %v: %s", patience, what)
	}
}

func holdsSoon(holds func() bool) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			return false
		}
		<-tick.C
	}
	return true
}

// tellDaemon sends SIGTERM to the daemon that listens, unless it is the one that was told last. It
// returns the one that was told last.
func (w *world) tellDaemon(told int) int {
	pid := w.daemonPID()
	if pid == 0 || pid == told {
		return told
	}
	_ = syscall.Kill(pid, syscall.SIGTERM) // it may just have ended
	return pid
}

// end ends the world, and fails the test over what should not be left of it.
func (w *world) end() {
	defer os.RemoveAll(w.dir)
	told := w.tellDaemon(0)
	if told != 0 && !holdsSoon(func() bool { return !alive(told) }) {
		w.t.Errorf("the daemon, process %d, does not end after SIGTERM", told)
	}
	for _, p := range w.spawned {
		if !holdsSoon(p.ended) {
			w.t.Errorf("mcp-editord %s does not end after its editor has", p.command)
		}
	}
	gone := func() bool {
		told = w.tellDaemon(told) // an agent starts another when it sees the end of its daemon before that of its input
		return len(w.processes()) == 0
	}
	if !holdsSoon(gone) {
		for _, pid := range w.processes() {
			w.t.Errorf("process %d is left: %s", pid, commandLine(pid))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	races, err := filepath.Glob(filepath.Join(w.dir, "race.*"))
	if err != nil {
		w.t.Error(err)
	}
	for _, path := range races {
		w.t.Errorf("the race detector says:\n%s", tail(path))
	}
	if said := tail(w.state("daemon.err")); strings.Contains(said, "panic:") || strings.Contains(said, "fatal error:") {
		w.t.Errorf("the daemon says:\n%s", said)
	}
	if w.t.Failed() {
		w.explain()
	}
}

// explain prints what a failure can be understood from.
func (w *world) explain() {
	w.t.Logf("the end of daemon.log:\n%s", tail(w.state("daemon.log")))
	for _, p := range w.spawned {
		if said := p.stderr.String(); said != "" {
			w.t.Logf("mcp-editord %s says on standard error:\n%s", p.command, said)
		}
	}
	for i, e := range w.editors {
		w.t.Logf("editor %d: %s", i+1, e.Recent())
	}
}

// tail returns the end of a file, "" when it is not there.
func tail(path string) string {
	const most = 16 << 10
	b, _ := os.ReadFile(path)
	return string(b[max(0, len(b)-most):])
}
