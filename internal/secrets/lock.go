package secrets

import (
	"context"
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

// locks are the locks of names.
type locks struct {
	dir string // of their files

	mu   sync.Mutex // guards the field that follows
	held map[string]*turn
}

// A turn is the lock of a name within the process.
type turn struct {
	free  chan struct{} // has one element while nobody holds the lock
	users int           // who hold the lock or wait for it; guarded by locks.mu
}

// lock does what [Store.Lock] does. The file is locked by a goroutine, which a disk may keep; there
// is one for each name at most.
func (k *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	t := k.join(name)
	select {
	case <-t.free:
	case <-ctx.Done():
		k.part(name, t)
		return nil, fmt.Errorf("waiting for the credential %q: %w", name, ctx.Err())
	}
	release := func() {
		t.free <- struct{}{}
		k.part(name, t)
	}
	type result struct {
		unlock func()
		err    error
	}
	done := make(chan result, 1)
	go func() {
		unlock, err := lockFile(ctx, k.fileOf(name))
		done <- result{unlock, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			release()
			return nil, fmt.Errorf("waiting for the credential %q: %w", name, r.err)
		}
		return sync.OnceFunc(func() { r.unlock(); release() }), nil
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				r.unlock()
			}
			release()
		}()
		return nil, fmt.Errorf("waiting for the credential %q: %w", name, ctx.Err())
	}
}

// join returns the turn of a name.
func (k *locks) join(name string) *turn {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.held[name]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		if k.held == nil {
			k.held = map[string]*turn{}
		}
		k.held[name] = t
	}
	t.users++
	return t
}

// part forgets the turn of a name when nobody uses it.
func (k *locks) part(name string, t *turn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(k.held, name)
	}
}

// lockPlace locks the file of a place, within lockWithin.
func lockPlace(path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	return lockFile(ctx, path)
}

// lockFile locks a file, making it and its folder.
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
