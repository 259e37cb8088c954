package ipc

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/peercred"
)

const (
	maxConnections = 1152            // at the same time: more than the daemon serves editors, so that it can tell those beyond
	retryInterval  = 4 * time.Second // between tries to make the socket again
	maxTries       = 5               // that fail in a row before the daemon gives up
	acceptPause    = time.Second     // between tries to accept without descriptors
)

// A Listener is the socket of a daemon. While it is open this process holds the
// daemon's lock; only the holder of the lock makes or removes the file of the socket.
//
// Accept returns connections of this user only, at most 1152 at the same time. When
// something removes or replaces the socket's file, the listener makes it again (see [Listener.Watch]);
// when it cannot, Accept fails.
type Listener struct {
	paths   Paths
	uid     int           // the user whose connections are accepted
	slots   chan struct{} // holds one element for each connection
	stopped chan struct{} // closed by StopAccepting
	log     *zap.Logger   // set before anything is accepted

	stopOnce  sync.Once
	closeOnce sync.Once

	mu     sync.Mutex // guards the fields that follow
	lock   *daemonLock
	inner  acceptor
	socket fs.FileInfo // of the file as it was made
	err    error       // why nothing can be accepted any more
}

// acceptor is the part of a *net.UnixListener that a listener needs.
type acceptor interface {
	AcceptUnix() (*net.UnixConn, error)
	Close() error
}

// Listen takes the lock of p and opens its socket. It makes the directories that are
// not there. It returns [ErrAlreadyRunning] when another daemon has the lock.
func Listen(p Paths) (*Listener, error) {
	if err := ensureDirs(p); err != nil {
		return nil, err
	}
	lock, err := acquireDaemonLock(p, lockPatience)
	if err != nil {
		return nil, err
	}
	inner, socket, err := bind(p.Socket)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return newListener(p, lock, inner, socket), nil
}

func newListener(p Paths, lock *daemonLock, inner acceptor, socket fs.FileInfo) *Listener {
	return &Listener{
		paths: p, uid: os.Geteuid(),
		slots: make(chan struct{}, maxConnections), stopped: make(chan struct{}),
		log: zap.NewNop(), lock: lock, inner: inner, socket: socket,
	}
}

// bind makes the file of the socket. The caller holds the daemon's lock, so a file that is
// there belongs to nobody: a daemon that was killed has left it.
func bind(path string) (*net.UnixListener, fs.FileInfo, error) {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, nil, fmt.Errorf("looking for the socket: %w", err)
	case info.Mode()&fs.ModeSocket == 0:
		return nil, nil, fmt.Errorf("%s is not a socket; remove it, or %s", path, chooseSocket)
	default:
		if err := os.Remove(path); err != nil {
			return nil, nil, fmt.Errorf("removing the socket of an earlier daemon: %w", err)
		}
	}
	inner, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, nil, fmt.Errorf("opening the socket: %w", err)
	}
	inner.SetUnlinkOnClose(false) // by then the path may name another's
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("closing the socket to others: %w", err), inner.Close())
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("looking at the socket: %w", err), inner.Close())
	}
	return inner, info, nil
}

// Accept returns the next connection. After StopAccepting it returns net.ErrClosed. It is
// not for concurrent use.
func (l *Listener) Accept() (*Conn, error) {
	for paused := false; ; {
		inner, err := l.current()
		if err != nil {
			return nil, err
		}
		c, err := inner.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			continue // stopped, failed, or made again: current knows which
		case outOfResources(err):
			if !paused {
				l.log.Warn("cannot accept editors for now", zap.Error(err))
			}
			paused = true
			select {
			case <-time.After(acceptPause):
			case <-l.stopped:
			}
			continue
		case err != nil:
			return nil, err
		}
		paused = false
		if admitted := l.admit(c); admitted != nil {
			return admitted, nil
		}
	}
}

// current returns what to accept from, or why there is nothing any more.
func (l *Listener) current() (acceptor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner, l.err
}

// outOfResources reports whether an error of accept goes away by itself (accept(2)).
func outOfResources(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

// admit returns c if its peer may be connected, and else closes it.
func (l *Listener) admit(c *net.UnixConn) *Conn {
	peer, err := peercred.Of(c)
	if err != nil || peer.UID != l.uid {
		l.log.Warn("refused a connection from another user", zap.Int("uid", peer.UID), zap.Error(err))
		c.Close()
		return nil
	}
	select {
	case l.slots <- struct{}{}:
		return newConn(c, sync.OnceFunc(func() { <-l.slots }))
	default:
		l.log.Warn("refused a connection: there are too many", zap.Int("limit", maxConnections))
		c.Close()
		return nil
	}
}

// Watch has the listener log, and look after its socket whenever hub says that something may have
// happened to it. It is called before the first Accept.
func (l *Listener) Watch(hub *fswatch.Hub, log *zap.Logger) {
	l.log = log.Named("listen")
	// It ends with the hub.
	hub.Watch(l.lookAfter, l.paths.Socket, l.paths.LockFile(), l.paths.stateLockFile())
}

// lookAfter makes the socket again if it is gone. When it cannot, nothing is accepted any more.
func (l *Listener) lookAfter() {
	for tries := 1; ; tries++ {
		err := l.restore()
		if err == nil {
			return
		}
		if errors.Is(err, ErrAlreadyRunning) || tries == maxTries {
			l.end(fmt.Errorf("the socket was removed and could not be made again: %w", err))
			return
		}
		l.log.Warn("cannot make the socket again for now", zap.Error(err))
		select {
		case <-l.stopped:
			return
		case <-time.After(retryInterval):
		}
	}
}

// restore makes the locks and the socket again when somebody removed or replaced their
// files: a cleaner of old files knows nothing of daemons. Open connections live on.
func (l *Listener) restore() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil
	}
	if err := ensureDirs(l.paths); err != nil {
		return err
	}
	if err := l.lock.renew(); err != nil {
		return err // another daemon may have taken the lock of the new file
	}
	if sameSocket(l.paths.Socket, l.socket) {
		return nil
	}
	inner, socket, err := bind(l.paths.Socket)
	if err != nil {
		return err
	}
	old := l.inner
	l.inner, l.socket = inner, socket
	l.log.Warn("the socket was gone and has been made again", zap.String("socket", l.paths.Socket))
	old.Close()
	return nil
}

// sameSocket reports whether the file at path is the one that the listener made. Systems reuse inode
// numbers, so the time has to agree too.
func sameSocket(path string, made fs.FileInfo) bool {
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, made) && info.ModTime().Equal(made.ModTime())
}

// end makes Accept return err, now and from now on.
func (l *Listener) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
		l.inner.Close()
	}
}

// StopAccepting removes the socket and accepts nothing more. The lock stays held, so that
// no other daemon starts while this one is ending. It may be called more than once.
func (l *Listener) StopAccepting() {
	l.stopOnce.Do(func() {
		l.end(net.ErrClosed)
		close(l.stopped)
		if sameSocket(l.paths.Socket, l.socket) {
			if err := os.Remove(l.paths.Socket); err != nil {
				l.log.Warn("removing the socket", zap.Error(err))
			}
		}
	})
}

// Close removes the socket and releases the lock: the last thing a daemon does.
// It may be called more than once.
func (l *Listener) Close() (err error) {
	l.closeOnce.Do(func() {
		l.StopAccepting()
		err = l.lock.Close()
	})
	return err
}
