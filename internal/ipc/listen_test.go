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
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
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
	l.SetLogger(zap.New(core))
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

// Fault unsafe-directory: the daemon does not start in a directory that others can enter.
func TestListenInUnsafeDirectory(t *testing.T) {
	for _, which := range []string{"the socket's", "the state's"} {
		t.Run(which, func(t *testing.T) {
			p := tempPaths(t)
			dir := p.StateDir
			if which == "the socket's" {
				dir = filepath.Dir(p.Socket)
			}
			if err := mkdir(0o777)(t, dir); err != nil {
				t.Fatal(err)
			}
			if l, err := Listen(p); err == nil {
				l.Close()
				t.Fatal("no error")
			}
			if _, err := os.Lstat(p.Socket); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the socket: %v", err)
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

	accepted := make(chan error)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	client := mustDial(t, p)
	if n, err := client.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read %d bytes, %v", n, err)
	}
	l.StopAccepting()
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept returned %v", err)
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
	var first *Conn
	for range maxConnections {
		mustDial(t, p)
		if c := acceptOne(t, l); first == nil {
			first = c
		}
	}

	accepted := make(chan *Conn)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	if n, err := mustDial(t, p).Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("one too many: read %d bytes, %v", n, err)
	}
	if n := logs.FilterField(zap.Int("limit", maxConnections)).Len(); n != 1 {
		t.Errorf("%d log lines tell of it", n)
	}

	first.Close()
	first.Close() // makes room once
	client := mustDial(t, p)
	server := <-accepted
	if server == nil {
		t.FailNow()
	}
	defer server.Close()
	exchange(t, client, server)
	if n := len(l.slots); n != maxConnections {
		t.Errorf("%d slots are taken", n)
	}
}

// Fault stale-socket: a daemon replaces the socket of one that was killed.
func TestStaleSocket(t *testing.T) {
	p := tempPaths(t)
	if err := os.MkdirAll(filepath.Dir(p.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(context.Background(), p); !errors.Is(err, ErrNotRunning) {
		t.Fatalf("dialling the stale socket: %v", err)
	}
	l, _ := openListener(t, p)
	exchange(t, mustDial(t, p), acceptOne(t, l))
}

func TestSomethingElseInThePlaceOfTheSocket(t *testing.T) {
	p := tempPaths(t)
	if err := os.MkdirAll(filepath.Dir(p.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Socket, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Listen(p); err == nil {
		l.Close()
		t.Fatal("no error")
	}
	if b, err := os.ReadFile(p.Socket); string(b) != "precious" {
		t.Errorf("the file has %q, %v", b, err)
	}
	if _, err := Dial(context.Background(), p); err == nil || errors.Is(err, ErrNotRunning) {
		t.Errorf("Dial: %v", err)
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
			if err := os.Remove(p.Socket); err != nil {
				return err
			}
			other, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
			if err != nil {
				return err
			}
			other.SetUnlinkOnClose(false)
			return other.Close()
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := tempPaths(t)
			l, _ := openListener(t, p)
			oldClient, oldServer := mustDial(t, p), acceptOne(t, l)

			accepted := make(chan *Conn) // of an Accept that began before
			go func() {
				c, err := l.Accept()
				if err != nil {
					t.Error(err)
				}
				accepted <- c
			}()
			if err := test.take(p); err != nil {
				t.Fatal(err)
			}
			if err := l.restore(); err != nil {
				t.Fatal(err)
			}
			client := mustDial(t, p)
			server := <-accepted
			if server == nil {
				t.FailNow()
			}
			defer server.Close()
			exchange(t, client, server)
			exchange(t, oldClient, oldServer)
			if _, err := Listen(p); !errors.Is(err, ErrAlreadyRunning) {
				t.Errorf("a second daemon: %v", err)
			}
			ofState, ofSocket := p.recordFiles()
			for _, path := range []string{ofState, ofSocket} {
				if r, err := readRecord(path); err != nil || r != recordOf(p) {
					t.Errorf("the record in %s is %+v, %v", path, r, err)
				}
			}
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
	l, logs := openListener(t, p)
	l.Watch(hub)
	for _, take := range []func() error{
		func() error { return os.Remove(p.Socket) },
		func() error { return os.Rename(filepath.Dir(p.Socket), filepath.Dir(p.Socket)+".old") },
		func() error { return os.Rename(p.Socket, p.Socket+".old") },
	} {
		if err := take(); err != nil {
			t.Fatal(err)
		}
		exchange(t, awaitDial(t, p), acceptOne(t, l))
	}
	if n := logs.FilterMessage("the socket was gone and has been made again").Len(); n != 3 {
		t.Errorf("it was made again %d times", n)
	}
}

// awaitDial connects to p as soon as somebody listens there.
func awaitDial(t *testing.T, p Paths) net.Conn {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; {
		c, err := Dial(context.Background(), p)
		if err == nil {
			t.Cleanup(func() { c.Close() })
			return c
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("nobody listens: %v", err)
		}
	}
}
