// Package await waits for what nothing announces.
package await

import (
	"testing"
	"time"
)

// Until looks until holds is true, and fails the test when that takes minutes.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(2 * time.Minute); !holds(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}
