package ipc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrAlreadyRunning is returned by [Listen] when another daemon has the state directory or the socket.
var ErrAlreadyRunning = errors.New("a daemon is already running")

const (
	// lockPatience is how long to wait for a lock before it counts as held by a daemon:
	// others hold it for an instant, to see whether there is one.
	lockPatience = 250 * time.Millisecond
	lockPause    = 10 * time.Millisecond
)

// daemonLock is what makes a process the daemon: the lock of its state directory on this host, and the
// lock of its socket. The kernel releases both when the process ends, however it ends.
type daemonLock struct {
	record        record
	state, socket *flock.Flock
}

// acquireDaemonLock takes the lock of the daemon of p, and has its files say where that daemon is.
// Only its holder may listen on the socket, touch the socket's file, and end the servers of an
// earlier daemon. The directories of p must be there (see [ensureDirs]).
//
// It returns [ErrAlreadyRunning] when another daemon has one of the two for longer than patience.
func acquireDaemonLock(p Paths, patience time.Duration) (*daemonLock, error) {
	state, err := acquireLock(p.stateLockFile(), patience)
	if err != nil {
		return nil, err
	}
	if state == nil {
		return nil, alreadyRunning("state directory "+p.StateDir, p.stateLockFile())
	}
	socket, err := acquireLock(p.LockFile(), patience)
	if err == nil && socket == nil {
		err = alreadyRunning("socket "+p.Socket, p.LockFile())
	}
	if err != nil {
		return nil, errors.Join(err, state.Close())
	}
	l := &daemonLock{record: recordOf(p), state: state, socket: socket}
	l.record.write(state)
	l.record.write(socket)
	return l, nil
}

// alreadyRunning returns [ErrAlreadyRunning] for a place, with what the daemon there has written down.
func alreadyRunning(place, lockFile string) error {
	r, err := readRecord(lockFile)
	if err != nil {
		return fmt.Errorf("%w on the %s", ErrAlreadyRunning, place)
	}
	return fmt.Errorf("%w on the %s, with the socket %s and the configuration %s; to end it: %s", ErrAlreadyRunning, place, r.socket, r.config, r.stopCommand())
}

// renew takes the locks anew whose files somebody has removed: another daemon could have them.
func (l *daemonLock) renew() error {
	for _, lock := range []**flock.Flock{&l.state, &l.socket} {
		old := *lock
		if lockHolds(old) {
			continue
		}
		renewed, err := acquireLock(old.Path(), lockPatience)
		if err != nil {
			return err
		}
		if renewed == nil {
			return fmt.Errorf("%s: %w", old.Path(), ErrAlreadyRunning)
		}
		l.record.write(renewed)
		*lock = renewed
		_ = old.Close() // its file is gone
	}
	return nil
}

// Close releases both locks, that of the socket last: who waits for it finds both free.
func (l *daemonLock) Close() error { return errors.Join(l.state.Close(), l.socket.Close()) }

// daemonLockFree reports whether nobody has the lock of the daemon of p.
func daemonLockFree(p Paths) (bool, error) {
	for _, path := range []string{p.stateLockFile(), p.LockFile()} {
		lock, err := acquireLock(path, 0)
		if lock == nil {
			return false, err
		}
		_ = lock.Close()
	}
	return true, nil
}

// acquireLock takes the lock of a file, and makes the file if it is missing. It returns nil when the
// lock is held for longer than patience.
func acquireLock(path string, patience time.Duration) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		lock := flock.New(path)
		ok, err := lock.TryLock()
		if err == nil && !ok {
			ok, err = lock.TryLockContext(ctx, lockPause)
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("taking the lock %s: %w", path, err)
		case ok && lockHolds(lock):
			return lock, nil
		}
		_ = lock.Close() // the file was removed between its opening and its locking
	}
}

// lockHolds reports whether the locked file is still the one at its path: if not, the lock excludes
// nobody any more.
func lockHolds(lock *flock.Flock) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(lock.Path())
	return err == nil && os.SameFile(locked, there)
}
