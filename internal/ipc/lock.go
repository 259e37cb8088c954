package ipc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrAlreadyRunning is returned by [Listen] when another daemon holds the socket.
var ErrAlreadyRunning = errors.New("a daemon is already running on this socket")

const (
	// lockPatience is how long to wait for a lock before it counts as held by a daemon:
	// others hold it for an instant, to see whether there is one.
	lockPatience = 250 * time.Millisecond
	lockPause    = 10 * time.Millisecond
)

// acquireDaemonLock takes the lock of the daemon of p. Only its holder may listen on the
// socket, touch the socket's file, and end the servers of an earlier daemon. The kernel
// releases it when the process ends, however it ends. The directory of the socket must be there.
//
// It returns [ErrAlreadyRunning] when the lock is held for longer than patience.
func acquireDaemonLock(p Paths, patience time.Duration) (*flock.Flock, error) {
	lock, err := acquireLock(p.LockFile(), patience)
	if err != nil {
		return nil, err
	}
	if lock == nil {
		return nil, fmt.Errorf("%s: %w", p.Socket, ErrAlreadyRunning)
	}
	return lock, nil
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
		// The file was removed between its opening and its locking.
		if err := lock.Close(); err != nil {
			return nil, fmt.Errorf("releasing the lock %s: %w", path, err)
		}
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
