package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
)

// A vault is a [Store] in memory, of one name. Authorizers that share one are like processes that share a keyring. As
// in package secrets, the name is known as soon as somebody has taken its lock.
type vault struct {
	mu    sync.Mutex
	value []byte // nil for none
	known bool
	turn  chan struct{}    // has one element while nobody holds the lock
	did   []string         // operations, in order
	fails map[string]error // by operation
	holds map[string]hold  // by operation
}

// A hold keeps an operation waiting.
type hold struct {
	reached chan struct{} // has one element when an operation waits
	release chan struct{} // closed by the test
}

func newVault() *vault {
	v := &vault{turn: make(chan struct{}, 1), fails: map[string]error{}, holds: map[string]hold{}}
	v.turn <- struct{}{}
	return v
}

// do records an operation, lets it wait, and returns why it fails.
func (v *vault) do(ctx context.Context, operation string) error {
	v.mu.Lock()
	v.did = append(v.did, operation)
	h, held := v.holds[operation]
	v.mu.Unlock()
	if held {
		select {
		case h.reached <- struct{}{}:
		default:
		}
		select {
		case <-h.release:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fails[operation]
}

func (v *vault) Get(ctx context.Context, name string) ([]byte, error) {
	if err := v.do(ctx, "get"); err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.value == nil {
		return nil, secrets.ErrNotFound
	}
	return slices.Clone(v.value), nil
}

// Set does what it says also where it fails: what cannot be kept for good is in memory.
func (v *vault) Set(ctx context.Context, name string, value []byte) error {
	err := v.do(ctx, "set")
	v.put(value)
	return err
}

// Delete is as Set.
func (v *vault) Delete(ctx context.Context, name string) error {
	err := v.do(ctx, "delete")
	v.put(nil)
	return err
}

func (v *vault) put(value []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.value = slices.Clone(value)
}

func (v *vault) Lock(ctx context.Context, name string) (func(), error) {
	if err := v.do(ctx, "lock"); err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.known = true
	v.mu.Unlock()
	select {
	case <-v.turn:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the credential %q: %w", name, ctx.Err())
	}
	return sync.OnceFunc(func() {
		_ = v.do(context.Background(), "unlock")
		v.turn <- struct{}{}
	}), nil
}

func (v *vault) Known(name string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.known
}

// fail lets an operation fail from now on; nil ends that.
func (v *vault) fail(operation string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fails[operation] = err
}

// hold lets an operation wait from now on, until it is released. reached tells of the first one.
func (v *vault) hold(t *testing.T, operation string) (reached <-chan struct{}, release func()) {
	h := hold{make(chan struct{}, 1), make(chan struct{})}
	release = sync.OnceFunc(func() { close(h.release) })
	t.Cleanup(release)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.holds[operation] = h
	return h.reached, release
}

// operations returns what was done, and forgets it.
func (v *vault) operations() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	did := v.did
	v.did = nil
	return did
}

// kept returns the credentials that are kept; nil for none.
func (v *vault) kept(t *testing.T) *credentials {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	c := decodeCredentials(v.value)
	if c == nil && v.value != nil {
		t.Fatal("what is kept cannot be read")
	}
	return c
}

// edit changes the credentials that are kept.
func (v *vault) edit(t *testing.T, change func(*credentials)) {
	t.Helper()
	c := v.kept(t)
	change(c)
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	v.put(encoded)
}
