package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockWithin = 5 * time.Second // other processes hold the locks of the places for milliseconds
	lockRetry  = 10 * time.Millisecond
)

// Lock waits until nobody else, in this process or another, holds the lock of a name, and takes it,
// for a change that depends on what was there. It excludes only other callers of Lock. unlock may
// be called more than once. Each name leaves an empty file behind, for a lock on a removed file
// excludes nobody.
func (s *Store) Lock(ctx context.Context, name string) (unlock func(), err error) {
	unlock, err = lockFile(ctx, s.lockOf(name))
	if err != nil {
		return nil, fmt.Errorf("waiting for the credential %q: %w", name, err)
	}
	return sync.OnceFunc(unlock), nil
}

// Known reports whether somebody has ever taken the lock of a name, in this process or in any other with
// the same directory. Who sets a secret under its lock can save the question for one that was never set: a
// locked keyring asks the person for a password even if it has nothing.
func (s *Store) Known(name string) bool {
	_, err := os.Lstat(s.lockOf(name))
	return err == nil
}

// lockOf returns the file of the lock of a name. It is a hash: a name may have any characters.
func (s *Store) lockOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(s.locks, hex.EncodeToString(sum[:16])+".lock")
}

// locked runs fn while nobody else has the file of a place locked.
func locked(path string, fn func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	unlock, err := lockFile(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

// lockFile locks a file, making it and its folder. It excludes also who locks it in this process.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f := flock.New(path, flock.SetPermissions(0o600))
	if _, err := f.TryLockContext(ctx, lockRetry); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
