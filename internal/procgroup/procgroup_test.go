//go:build linux || darwin

package procgroup

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// Environment variables that turn the test binary into another program.
const (
	ownerEnv  = "PROCGROUP_TEST_OWNER"  // see beOwner
	reaperEnv = "PROCGROUP_TEST_REAPER" // see beReaper
)

func TestMain(m *testing.M) {
	Supervise()
	if owner := os.Getenv(ownerEnv); owner != "" {
		beOwner(owner)
	}
	if owner := os.Getenv(reaperEnv); owner != "" {
		beReaper(owner)
	}
	os.Exit(m.Run())
}

// beOwner starts a child with a grandchild out of its group, prints both ids,
// and hangs until it is killed.
func beOwner(owner string) {
	c := shell(`setsid sleep 1000 & echo $$ $!; exec sleep 1000`)
	c.Stdout = os.Stdout
	if _, err := Owner(owner).Start(c); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	select {}
}

// beReaper reaps the processes of owner and prints how many it has killed.
func beReaper(owner string) {
	killed, err := Owner(owner).Reap()
	fmt.Println(len(killed), err)
	os.Exit(0)
}

func TestExit(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"success", "exit 0", "exited with code 0"},
		{"failure", "exit 3", "exited with code 3"},
		{"signal", "kill -9 $$", "was ended by signal: killed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, shell(tt.script))
			if got := p.Exit(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if err := p.Signal(syscall.SIGTERM); err != os.ErrProcessDone {
				t.Errorf("Signal after the end: %v", err)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	for _, tt := range []struct {
		name, command, owner, want string
	}{
		{"no such program", "/does/not/exist", "owner", "no such file"},
		{"no owner", "/bin/sh", "", "owner"},
		{"an owner that would be two", "/bin/sh", "a/b", "owner"},
		{"a command that would be two", "/bin/sh\x00", "owner", "NUL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Owner(tt.owner).Start(Command{Path: tt.command, Args: []string{tt.command}})
			if p != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want an error with %q", p, err, tt.want)
			}
		})
	}
}

// Fault left-behind: what a child leaves behind is gone when Done is closed.
func TestNothingIsLeft(t *testing.T) {
	for _, tt := range []struct {
		name, script string // writes the id of the grandchild
		linux        bool   // needs a subreaper, or sleep's environment, which macOS hides
	}{
		{"in the group", `sleep 1000 & echo $!`, false},
		{"in the group, without the marker", `env -i sleep 1000 & echo $!`, false},
		{"in the group, deaf to SIGTERM", `sh -c 'trap "" TERM; while :; do sleep 1; done' & echo $!`, false},
		{"in a session of its own", `setsid sleep 1000 & echo $!`, false},
		{"that starts more", `setsid sh -c 'while :; do sleep 1000 & sleep 0.01; done' & echo $!`, true},
		{"orphaned, in the session", `(env -i sh -c 'echo $$; exec sleep 1000' &)`, false},
		{"orphaned, in a session of its own", `(setsid sh -c 'echo $$; exec sleep 1000' &)`, true},
		{"orphaned, in a session of its own, without the marker", `(setsid env -i sh -c 'echo $$; exec sleep 1000' &)`, true},
		{"stopped", `setsid env -i sh -c 'echo $$; kill -STOP $$' &`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.linux && runtime.GOOS != "linux" {
				t.Skip("found on Linux only")
			}
			for name, end := range map[string]string{"exits": "exit 0", "is killed": "exec sleep 1000"} {
				c := shell(`{ ` + tt.script + "\n" + `} | { read pid; echo $pid; }` + "\n" + end)
				out := stdout(t, &c)
				p := start(t, c)
				pid := readPID(t, out)
				if name == "is killed" {
					p.Kill()
				}
				wait(t, p)
				if adopts && alive(pid) {
					t.Errorf("the child %s: its grandchild is left", name)
				}
				await.Until(t, "end of the grandchild", func() bool { return !alive(pid) })
				left := family{marker: p.marker}.pick()
				if left = slices.DeleteFunc(left, func(p process) bool { return p.zombie }); len(left) > 0 {
					t.Errorf("the child %s: %v are left", name, left)
				}
			}
		})
	}
}

// When the child closes a file, it is closed: the supervisor does not hold it open.
func TestClosedOutput(t *testing.T) {
	c := shell(`exec >&- 2>&-; exec sleep 1000`)
	out := stdout(t, &c)
	start(t, c)
	_ = c.Stdout.Close()
	if line, err := out.ReadString('\n'); err != io.EOF || line != "" {
		t.Errorf("got %q, %v", line, err)
	}
}

func TestEnvironmentAndDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := shell(`pwd -P; echo "$A,$B,$GOMAXPROCS,$#,$1"`)
	c.Args = append(c.Args, "sh", "two\nlines", "")
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "A=0", "A=1", "B=", "B=x\ny"}
	out := stdout(t, &c)
	start(t, c)
	if got := readLine(t, out); got != dir {
		t.Errorf("it runs in %q, want %q", got, dir)
	}
	if got := readLine(t, out) + "|" + readLine(t, out) + "|" + readLine(t, out); got != "1,x|y,,2,two|lines" {
		t.Errorf("got %q", got)
	}
}

// A child without a umask of its own has the umask of this process.
func TestUmask(t *testing.T) {
	own := syscall.Umask(0o027)
	defer syscall.Umask(own)
	for mask, want := range map[int]string{-1: "0027", 0: "0000", 0o002: "0002", 0o777: "0777"} {
		c := shell("umask")
		if mask >= 0 {
			c.Umask = &mask
		}
		out := stdout(t, &c)
		start(t, c)
		if got := readLine(t, out); got != want {
			t.Errorf("umask %o: got %s, want %s", mask, got, want)
		}
	}
}

func TestSignalReachesTheGroup(t *testing.T) {
	c := shell(`trap 'wait; echo child; exit' TERM
		sh -c 'trap "echo grandchild; exit" TERM; echo ready; while :; do sleep 0.01; done' &
		while :; do sleep 0.01; done`)
	out := stdout(t, &c)
	p := start(t, c)
	if got := readLine(t, out); got != "ready" {
		t.Fatalf("got %q", got)
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	got := []string{readLine(t, out), readLine(t, out)}
	if want := []string{"grandchild", "child"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	wait(t, p)
}

// A daemon may itself carry a marker of its own name: a server of an earlier life
// started it.
func TestReapSparesTheCaller(t *testing.T) {
	name := owner(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), reaperEnv+"="+name, "GORACE=atexit_sleep_ms=0", markerName+"="+name+"/0")
	out, err := cmd.Output()
	if got := string(out); err != nil || got != "0 <nil>\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// owner returns a name for the owner of t's children.
func owner(t *testing.T) string {
	return fmt.Sprintf("%s-%d", filepath.Base(t.Name()), os.Getpid())
}

// shell returns a command that runs a shell script.
func shell(script string) Command {
	return Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}}
}

func start(t *testing.T, c Command) *Process {
	t.Helper()
	return startOf(t, Owner(owner(t)+"-x"), c)
}

func startOf(t *testing.T, o Owner, c Command) *Process {
	t.Helper()
	p, err := o.Start(c)
	if err != nil {
		t.Error(err)
		runtime.Goexit()
	}
	t.Cleanup(func() {
		p.Kill()
		<-p.Done()
	})
	return p
}

// stdout gives c a pipe as its output, which stays readable after the end.
func stdout(t *testing.T, c *Command) *bufio.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout = w
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	_ = r.SetReadDeadline(time.Now().Add(time.Minute))
	return bufio.NewReader(r)
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func readPID(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	pid, err := strconv.Atoi(readLine(t, r))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func wait(t *testing.T, p *Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(time.Minute):
		t.Fatal("the process does not end")
	}
}

// alive reports whether a process is there and not a zombie.
func alive(pid int) bool {
	out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return len(out) > 0 && out[0] != 'Z'
}

func TestUnmarked(t *testing.T) {
	env := []string{"A=1", markerName + "=owner/1", markerName + "S=2"}
	if got := Unmarked(env); !slices.Equal(got, []string{"A=1", markerName + "S=2"}) {
		t.Errorf("got %q", got)
	}
}

func TestStarted(t *testing.T) {
	for _, tt := range []struct {
		entry string
		want  bool
	}{
		{markerName + "=owner/1", true},
		{markerName + "=owner", false},
		{markerName + "=owner-x/1", false},
		{markerName + "S=owner/1", false},
		{"A=" + markerName + "=owner/1", false},
	} {
		if got := Owner("owner").Started([]string{"A=1", tt.entry}); got != tt.want {
			t.Errorf("%s: %v", tt.entry, got)
		}
	}
}
