package ipc

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// fakeAcceptor is a socket that fails, for tests in a bubble.
type fakeAcceptor struct {
	accept func() (*net.UnixConn, error) // nil means: blocks until closed
	closed chan struct{}
}

func (a *fakeAcceptor) AcceptUnix() (*net.UnixConn, error) {
	if a.accept != nil {
		return a.accept()
	}
	<-a.closed
	return nil, net.ErrClosed
}

func (a *fakeAcceptor) Close() error {
	close(a.closed)
	return nil
}

// lockAndBind makes what a Listener has, for one in a bubble.
func lockAndBind(t *testing.T) (p Paths, lock *daemonLock, inner *net.UnixListener, socket fs.FileInfo) {
	t.Helper()
	p = tempPaths(t)
	err := ensureDirs(p)
	if err == nil {
		lock, err = acquireDaemonLock(p, 0)
	}
	if err == nil {
		inner, socket, err = bind(p.Socket)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	return p, lock, inner, socket
}

// Fault socket-removed: when the socket cannot be made again the daemon ends within 30 s; at
// once when another daemon has come in.
func TestSocketCannotBeMadeAgain(t *testing.T) {
	tests := []struct {
		name   string
		spoil  func(t *testing.T, p Paths)
		within time.Duration
	}{
		{"the directory has become a file", func(t *testing.T, p Paths) {
			dir := filepath.Dir(p.Socket)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, 30 * time.Second},
		{"another daemon has come in", func(t *testing.T, p Paths) {
			if err := errors.Join(os.Remove(p.stateLockFile()), os.Remove(p.LockFile())); err != nil {
				t.Fatal(err)
			}
			openListener(t, p)
		}, retryInterval},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, lock, _, socket := lockAndBind(t)
			test.spoil(t, p)

			synctest.Test(t, func(t *testing.T) {
				l := newListener(p, lock, &fakeAcceptor{closed: make(chan struct{})}, socket)
				next := accepting(l)
				synctest.Wait() // a mutex that is held for a while would stop the clock of the bubble
				go l.lookAfter()
				begin := time.Now()
				if got := <-next; got.err == nil || errors.Is(got.err, net.ErrClosed) {
					t.Errorf("Accept returned %v", got.err)
				}
				if took := time.Since(begin); took > test.within {
					t.Errorf("after %v", took)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Fault no-descriptors: without descriptors Accept waits, says so once, and recovers. Stopping does not
// wait for the end of an outage.
func TestOutOfDescriptors(t *testing.T) {
	p, lock, inner, socket := lockAndBind(t)
	client := mustDial(t, p)

	synctest.Test(t, func(t *testing.T) {
		outage := 10 * time.Second
		begin, attempts := time.Now(), 0
		l := newListener(p, lock, &fakeAcceptor{closed: make(chan struct{}), accept: func() (*net.UnixConn, error) {
			attempts++
			if time.Since(begin) < outage {
				return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
			}
			return inner.AcceptUnix()
		}}, socket)
		core, logs := observer.New(zapcore.DebugLevel)
		l.log = zap.New(core)

		server := acceptOne(t, l)
		exchange(t, client, server)
		if late := time.Since(begin) - outage; late > acceptPause {
			t.Errorf("recovered %v late", late)
		}
		if attempts > 20 {
			t.Errorf("tried %d times in %v", attempts, outage)
		}
		if logs.Len() != 1 {
			t.Errorf("logged %d lines", logs.Len())
		}
		begin, outage = time.Now(), time.Hour
		next := accepting(l)
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if got := <-next; !errors.Is(got.err, net.ErrClosed) {
			t.Errorf("got %v", got.err)
		}
		if late := time.Since(begin); late > 0 {
			t.Errorf("stopped after %v", late)
		}
	})
}
