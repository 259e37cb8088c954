package ipc

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// openListener opens the socket of p until the test ends. It also returns the listener's log.
func openListener(t *testing.T, p Paths) (*Listener, *observer.ObservedLogs) {
	t.Helper()
	l, err := Listen(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	core, logs := observer.New(zapcore.DebugLevel)
	l.log = zap.New(core)
	return l, logs
}

// acceptOne returns the next connection, closed when the test ends.
func acceptOne(t *testing.T, l *Listener) *Conn {
	t.Helper()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// mustDial connects to p until the test ends.
func mustDial(t *testing.T, p Paths) net.Conn {
	t.Helper()
	c, err := Dial(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// accepted is what Accept has returned.
type accepted struct {
	conn *Conn
	err  error
}

// accepting returns what the next Accept returns.
func accepting(l *Listener) <-chan accepted {
	next := make(chan accepted, 1)
	go func() {
		c, err := l.Accept()
		next <- accepted{c, err}
	}()
	return next
}

// leaveSocket makes a socket on which nobody listens, as a daemon does that is killed.
func leaveSocket(path string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// checkRecords checks that the records say what the daemon of p has.
func checkRecords(t *testing.T, p Paths) {
	t.Helper()
	for _, path := range []string{p.stateLockFile(), p.LockFile()} {
		if r, err := readRecord(path); err != nil || r != recordOf(p) {
			t.Errorf("the record in %s is %+v, %v", path, r, err)
		}
	}
}

// exchange checks that a byte written to from arrives at to.
func exchange(t *testing.T, from, to io.ReadWriter) {
	t.Helper()
	if _, err := from.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if _, err := io.ReadFull(to, b); err != nil {
		t.Fatal(err)
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	l, _ := openListener(t, p)
	for path, want := range map[string]fs.FileMode{
		p.StateDir:             fs.ModeDir | 0o700,
		filepath.Dir(p.Socket): fs.ModeDir | 0o700,
		p.Socket:               fs.ModeSocket | 0o600,
		p.LockFile():           0o600,
		p.runDir():             fs.ModeDir | 0o700,
		p.stateLockFile():      0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}

	client := mustDial(t, p)
	exchange(t, client, acceptOne(t, l))

	if _, err := Listen(p); !errors.Is(err, ErrAlreadyRunning) {
		t.Fatalf("a second daemon: %v", err)
	}
	exchange(t, mustDial(t, p), acceptOne(t, l)) // the second one has not touched the socket

	l.StopAccepting()
	if _, err := os.Lstat(p.Socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket after stop: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after stop: %v", err)
	}
	if _, err := Listen(p); !errors.Is(err, ErrAlreadyRunning) {
		t.Errorf("a second daemon while the first is ending: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	openListener(t, p)
}

// Faults unsafe-directory and other-user: neither a daemon nor who looks for one uses a place that is not
// this user's alone, or changes anything there.
func TestUnsafePlaces(t *testing.T) {
	for _, test := range []struct {
		name         string
		make         func(t *testing.T, p Paths) error
		listen, dial bool // refuses
	}{
		{"the directory of the socket is open", func(t *testing.T, p Paths) error { return mkdir(0o777)(t, filepath.Dir(p.Socket)) }, true, true},
		{"the state directory is open", func(t *testing.T, p Paths) error { return mkdir(0o777)(t, p.StateDir) }, true, false},
		{"a file in the place of the socket", func(t *testing.T, p Paths) error {
			return errors.Join(mkdir(0o700)(t, filepath.Dir(p.Socket)), os.WriteFile(p.Socket, []byte("precious"), 0o600))
		}, true, true},
		{"a socket of another user", func(t *testing.T, p Paths) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			return errors.Join(mkdir(0o700)(t, filepath.Dir(p.Socket)), leaveSocket(p.Socket), os.Chown(p.Socket, 65534, -1))
		}, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := tempPaths(t)
			if err := test.make(t, p); err != nil {
				t.Fatal(err)
			}
			if _, err := Dial(context.Background(), p); err == nil || errors.Is(err, ErrNotRunning) == test.dial {
				t.Errorf("Dial: %v", err)
			}
			before, _ := os.ReadFile(p.Socket)
			l, err := Listen(p)
			if err == nil {
				l.Close()
			}
			if (err != nil) != test.listen {
				t.Errorf("Listen: %v", err)
			}
			if after, _ := os.ReadFile(p.Socket); string(after) != string(before) {
				t.Errorf("in the place of the socket is %q, not %q", after, before)
			}
		})
	}
}

// Fault other-user: a peer of another user is disconnected. The test is the other user's
// daemon, so that it needs no second account.
func TestPeerOfAnotherUser(t *testing.T) {
	p := tempPaths(t)
	l, logs := openListener(t, p)
	l.uid = os.Geteuid() + 1

	next := accepting(l)
	client := mustDial(t, p)
	if n, err := client.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read %d bytes, %v", n, err)
	}
	l.StopAccepting()
	if got := <-next; !errors.Is(got.err, net.ErrClosed) {
		t.Errorf("Accept returned %v", got.err)
	}
	if n := logs.FilterField(zap.Int("uid", os.Geteuid())).Len(); n != 1 {
		t.Errorf("%d log lines name the peer", n)
	}
}

// Fault connection-flood: connections are limited, and closing one makes room.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	l, logs := openListener(t, p)
	var one *Conn
	for range maxConnections {
		mustDial(t, p)
		one = acceptOne(t, l)
	}

	next := accepting(l)
	if n, err := mustDial(t, p).Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("one too many: read %d bytes, %v", n, err)
	}
	if n := logs.FilterField(zap.Int("limit", maxConnections)).Len(); n != 1 {
		t.Errorf("%d log lines tell of it", n)
	}

	one.Close()
	one.Close() // makes room once
	client := mustDial(t, p)
	got := <-next
	if got.err != nil {
		t.Fatal(got.err)
	}
	defer got.conn.Close()
	exchange(t, client, got.conn)
	if n := len(l.slots); n != maxConnections {
		t.Errorf("%d slots are taken", n)
	}
}

// Fault socket-removed: something removes or replaces the socket of a daemon that runs.
func TestSocketTakenAway(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		take func(Paths) error
	}{
		{"the socket is removed", func(p Paths) error { return os.Remove(p.Socket) }},
		{"the lock is removed", func(p Paths) error { return os.Remove(p.LockFile()) }},
		{"the lock of the state directory is removed", func(p Paths) error { return os.Remove(p.stateLockFile()) }},
		{"the state directory is removed", func(p Paths) error { return os.RemoveAll(p.StateDir) }},
		{"the directory is removed", func(p Paths) error { return os.RemoveAll(filepath.Dir(p.Socket)) }},
		{"the socket is replaced", func(p Paths) error {
			return errors.Join(os.Remove(p.Socket), leaveSocket(p.Socket))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := tempPaths(t)
			l, _ := openListener(t, p)
			oldClient, oldServer := mustDial(t, p), acceptOne(t, l)

			next := accepting(l) // it began before
			if err := test.take(p); err != nil {
				t.Fatal(err)
			}
			if err := l.restore(); err != nil {
				t.Fatal(err)
			}
			client := mustDial(t, p)
			got := <-next
			if got.err != nil {
				t.Fatal(got.err)
			}
			defer got.conn.Close()
			exchange(t, client, got.conn)
			exchange(t, oldClient, oldServer)
			if _, err := Listen(p); !errors.Is(err, ErrAlreadyRunning) {
				t.Errorf("a second daemon: %v", err)
			}
			checkRecords(t, p)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(p.Socket); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the socket after Close: %v", err)
			}
		})
	}
}

// Fault socket-removed: the listener hears of it, and need not look.
func TestSocketIsWatched(t *testing.T) {
	hub := fswatch.New(zap.NewNop())
	t.Cleanup(func() {
		if err := hub.Close(); err != nil {
			t.Error(err)
		}
	})
	p := tempPaths(t)
	l, _ := openListener(t, p)
	core, logs := observer.New(zapcore.DebugLevel)
	l.Watch(hub, zap.New(core))
	for _, take := range []func() error{
		func() error { return os.Remove(p.Socket) },
		func() error { return os.Rename(filepath.Dir(p.Socket), filepath.Dir(p.Socket)+".old") },
		func() error { return os.Rename(p.Socket, p.Socket+".old") },
	} {
		if err := take(); err != nil {
			t.Fatal(err)
		}
		var client net.Conn
		await.Until(t, "a socket", func() bool {
			c, err := Dial(context.Background(), p)
			client = c
			return err == nil
		})
		defer client.Close()
		exchange(t, client, acceptOne(t, l))
	}
	if n := logs.FilterMessage("the socket was gone and has been made again").Len(); n != 3 {
		t.Errorf("it was made again %d times", n)
	}
}
