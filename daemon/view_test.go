//go:build linux || darwin

package daemon

import "testing"

// Nobody is told what he knows.
func TestEqualStatusIsNotTold(t *testing.T) {
	_, _, a, s := newReady(t)
	told := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.servers)
	}
	e := a.(*editor)
	before, c := told(), e.connection("fake")
	c.StatusChanged(c.client.Status())
	e.told(t.Context())
	if again := told(); again != before {
		t.Errorf("an equal status was told %d times", again-before)
	}
}
