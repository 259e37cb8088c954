package secrets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// One at a time holds the lock of a name, whichever Store it comes from; names do not wait for one
// another.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := privateDir(t)
	stores := []*Store{Open(Options{Place: Memory, Dir: dir}), Open(Options{Place: Memory, Dir: dir})}
	other, err := stores[0].Lock(t.Context(), "other\n/..")
	if err != nil {
		t.Fatal(err)
	}
	defer other()
	var holders atomic.Int64
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			unlock, err := stores[i%2].Lock(t.Context(), somebody)
			if err != nil {
				t.Error(err)
				return
			}
			if n := holders.Add(1); n != 1 {
				t.Errorf("%d hold the lock", n)
			}
			holders.Add(-1)
			unlock()
			unlock() // does nothing: somebody else may have it now
		})
	}
	all.Wait()
	unlock, err := stores[0].Lock(t.Context(), somebody)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stores { // who does not get it in time leaves nothing behind
		ctx, cancel := context.WithTimeout(t.Context(), 5*lockRetry)
		if _, err := s.Lock(ctx, somebody); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Lock: %v", err)
		}
		cancel()
	}
	unlock()
	if unlock, err = stores[1].Lock(t.Context(), somebody); err != nil {
		t.Fatal(err)
	}
	unlock()
	files, err := os.ReadDir(filepath.Join(dir, "locks"))
	if err != nil || len(files) != 2 {
		t.Errorf("there are %d files of locks, %v; want 2", len(files), err)
	}
}
