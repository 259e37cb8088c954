package ipc

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// fakeCommand starts TestFakeDaemon in a process of its own. mode is serve, fail, silent, lose or hang.
func fakeCommand(mode string) func(Paths) (*exec.Cmd, error) {
	return func(p Paths) (*exec.Cmd, error) {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return exec.Command(exe, "-test.run=^TestFakeDaemon$", "--", mode, p.Socket, p.Config, p.StateDir), nil
	}
}

// TestFakeDaemon is a daemon when fakeCommand runs the test binary. It writes its process id to each
// connection, as a line.
func TestFakeDaemon(t *testing.T) {
	args := flag.Args()
	if len(args) == 0 {
		t.Skip("is run by other tests")
	}
	time.AfterFunc(time.Minute, func() { os.Exit(1) }) // in case the test that started it is killed
	switch args[0] {
	case "fail":
		fmt.Fprintln(os.Stderr, "first line\n\nmcp-editord: the second line")
		os.Exit(1)
	case "silent":
		os.Exit(1)
	case "lose":
		os.Exit(ExitAlreadyRunning)
	case "hang":
		select {}
	}
	l, err := Listen(Paths{Socket: args[1], Config: args[2], StateDir: args[3]})
	if errors.Is(err, ErrAlreadyRunning) {
		os.Exit(ExitAlreadyRunning)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(c, os.Getpid())
	}
}

// daemonOf returns the process id of the fake daemon at the other end of c. The daemon ends with the
// test.
func daemonOf(t *testing.T, p Paths, c net.Conn) int {
	t.Helper()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endProcess(t, p, pid) })
	return pid
}

// mustConnect connects to p, where command starts a daemon, and returns the process id of the daemon.
func mustConnect(t *testing.T, p Paths, command func(Paths) (*exec.Cmd, error)) (pid int) {
	t.Helper()
	c, _, err := connect(context.Background(), p, command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return daemonOf(t, p, c)
}

// endProcess kills a fake daemon and waits until its lock is free.
func endProcess(t *testing.T, p Paths, pid int) {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	lock, err := acquireDaemonLock(p, 10*time.Second)
	if err != nil {
		t.Errorf("the daemon's lock is not free: %v", err)
		return
	}
	lock.Close()
}

// Faults start-race and other-daemon: starts at once give one daemon, started once where they name one
// socket. Where they name two, who named the other one gets an error; who names none gets the daemon that
// there is.
func TestConnectAtOnce(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"daemon.sock"}, {"a.sock", "b.sock", "daemon.sock"}} {
		t.Run(fmt.Sprint(len(names)), func(t *testing.T) {
			t.Parallel()
			base := tempPaths(t)
			type result struct {
				p       Paths
				conn    *net.UnixConn
				at      Paths // of the daemon
				pid     int   // 0 when it was refused
				err     error
				started []*exec.Cmd
			}
			results := make([]result, 9)
			var all sync.WaitGroup
			for i := range results {
				p := base
				p.Socket = filepath.Join(filepath.Dir(base.Socket), names[i%len(names)])
				if p.Socket != base.Socket {
					p.SocketFrom = "--socket"
				}
				all.Go(func() {
					r := &results[i]
					r.p = p
					r.conn, r.at, r.err = connect(context.Background(), p, func(p Paths) (*exec.Cmd, error) {
						cmd, err := fakeCommand("serve")(p)
						r.started = append(r.started, cmd)
						return cmd, err
					})
				})
			}
			all.Wait()
			var daemon result
			var started []*exec.Cmd
			for i := range results {
				r := &results[i]
				started = append(started, r.started...)
				if r.err == nil {
					defer r.conn.Close()
					r.pid = daemonOf(t, r.at, r.conn)
					daemon = *r
				}
			}
			for _, r := range results {
				other := r.p.SocketFrom != "" && r.p.Socket != daemon.at.Socket
				switch {
				case other != (r.err != nil), r.err == nil && (r.pid != daemon.pid || r.at.Socket != daemon.at.Socket):
					t.Errorf("%s: daemon %d at %s, %v; want %d at %s", r.p.Socket, r.pid, r.at.Socket, r.err, daemon.pid, daemon.at.Socket)
				case other && !strings.Contains(r.err.Error(), "--socket names "+r.p.Socket):
					t.Errorf("%s: %v", r.p.Socket, r.err)
				}
			}
			if len(names) == 1 && len(started) != 1 {
				t.Errorf("%d processes were started", len(started))
			}
			for _, cmd := range started {
				if cmd.Process.Pid != daemon.pid {
					await.Until(t, "the end of a process that has lost", func() bool { return !processLives(cmd.Process) })
				}
			}
		})
	}
}

// Faults stale-socket and daemon-killed: after a kill -9 the next one to connect starts a daemon.
func TestConnectAfterKill(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	killed := mustConnect(t, p, fakeCommand("serve"))
	endProcess(t, p, killed)
	if _, err := os.Lstat(p.Socket); err != nil {
		t.Fatalf("a killed daemon leaves its socket: %v", err)
	}
	if pid := mustConnect(t, p, fakeCommand("serve")); pid == killed {
		t.Errorf("the same daemon twice: %d", pid)
	}
}

// An ending daemon has its lock but no socket: the next one starts when it has ended.
func TestConnectWhileAnotherEnds(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	l, _ := openListener(t, p)
	l.StopAccepting()
	closed := make(chan error, 1)
	go func() { closed <- l.Close() }()
	mustConnect(t, p, fakeCommand("serve"))
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// Connect does not fail when the daemon that it starts finds another one.
func TestConnectWhenTheStartIsLost(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	modes := []string{"lose", "serve"}
	mustConnect(t, p, func(p Paths) (*exec.Cmd, error) {
		mode := modes[0]
		modes = modes[1:]
		return fakeCommand(mode)(p)
	})
}

func TestConnectFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		command func(Paths) (*exec.Cmd, error)
		want    string
	}{
		{"the daemon says why", fakeCommand("fail"), "starting the daemon: first line; the second line"},
		{"the daemon says nothing", fakeCommand("silent"), "exit status 1"},
		{"the program is not there", func(Paths) (*exec.Cmd, error) { return exec.Command("/nonexistent/mcp-editord"), nil }, "/nonexistent/mcp-editord"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := tempPaths(t)
			err := ensureDirs(p)
			if err == nil {
				err = os.WriteFile(p.ErrorFile(), []byte("of an earlier daemon\n"), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			c, _, err := connect(context.Background(), p, test.command)
			if err == nil {
				c.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "earlier") {
				t.Errorf("%q does not say %q in one line", err, test.want)
			}
			if info, err := os.Stat(p.ErrorFile()); err != nil || info.Mode() != 0o600 { // only this user can read it
				t.Errorf("the error file: %v, %v", info, err)
			}
			if lock, err := acquireLock(p.startLockFile(), 0); lock == nil {
				t.Errorf("the start lock is still held: %v", err)
			} else {
				lock.Close()
			}
		})
	}
}

func TestConnectCancelled(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	ctx, cancel := context.WithCancel(context.Background())
	var cmd *exec.Cmd
	_, _, err := connect(ctx, p, func(p Paths) (_ *exec.Cmd, err error) {
		cancel()
		cmd, err = fakeCommand("hang")(p)
		return cmd, err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
}

func TestLastLines(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"no line feed at the end, not UTF-8", "a\xffb", "a?b"},
		{"the last five, without our own prefix", "1\n2\n3\n4\n5\nmcp-editord: 6\n", "2; 3; 4; 5; 6"},
		{"empty lines and carriage returns", "\r\na\r\n\r\nb\r\n", "a; b"},
		{"only the end of a long file", strings.Repeat("x", 2*maxErrorTail) + "\nlast\n", strings.Repeat("x", maxErrorTail-6) + "; last"},
	} {
		path := filepath.Join(t.TempDir(), "err")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lastLines(path); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := lastLines(filepath.Join(t.TempDir(), "none")); got != "" {
		t.Errorf("no file: %q", got)
	}
}
