package secrets

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// hang makes the keyring hang until the returned function is called, after which it has done all that it was asked.
func (s *stand) hang() (open func()) {
	gate := make(chan struct{})
	s.fake.with(func() { s.fake.gate = gate })
	return func() {
		s.fake.with(func() { s.fake.gate = nil })
		close(gate)
		synctest.Wait()
	}
}

// A keyring that hangs: nobody waits longer than patience, and once it is late nobody waits at all.
func TestHangs(t *testing.T) {
	bubble(t, Keyring, func(t *testing.T, s *stand) {
		s.fake.secrets["old"] = "0"
		open := s.hang()
		start := time.Now()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { s.lacks(t, "old", errTrouble) })
		}
		s.sets(t, "a", "1", errTrouble)
		all.Wait()
		if waited := time.Since(start); waited != patience {
			t.Errorf("they waited %v, want %v", waited, patience)
		}
		synctest.Wait()
		s.hasProblem(t, "the keyring does not answer", 1)

		start = time.Now()
		for i := range 100 {
			s.finds(t, "a", "1")
			s.sets(t, fmt.Sprint("more", i), "1", errTrouble)
			s.lacks(t, "old", errTrouble)
		}
		if err := s.Delete(t.Context(), "old"); !isTrouble(err) {
			t.Errorf("Delete: %v", err)
		}
		s.lacks(t, "old", ErrNotFound)
		s.sets(t, "a", "2", errTrouble)
		s.finds(t, "a", "2")
		if waited := time.Since(start); waited != 0 {
			t.Errorf("they waited %v for a keyring that is known to hang", waited)
		}
		if s.fake.began != 1 || s.fake.working != 1 {
			t.Errorf("%d operations began and %d wait, want one", s.fake.began, s.fake.working)
		}

		open()
		want := map[string]string{"a": "2"}
		for i := range 100 {
			want[fmt.Sprint("more", i)] = "1"
		}
		s.fake.has(t, want)
		s.hasProblem(t, "", 2)
	})
}

// A caller's context ends its wait, and the value is kept all the same.
func TestContextEnds(t *testing.T) {
	bubble(t, Keyring, func(t *testing.T, s *stand) {
		open := s.hang()
		ctx, cancel := context.WithTimeout(t.Context(), patience/2)
		defer cancel()
		err := s.Set(ctx, "a", []byte("1"))
		if !isTrouble(err) {
			t.Errorf("Set: %v", err)
		}
		synctest.Wait()
		s.hasProblem(t, "", 0) // it is not late yet
		open()
		s.fake.has(t, map[string]string{"a": "1"})
		s.hasProblem(t, "", 0)
	})
}

// A place that refuses is tried again though nobody calls, and what waits is written.
func TestTriesAgain(t *testing.T) {
	bubble(t, Keyring, func(t *testing.T, s *stand) {
		s.sets(t, "seen", "0", nil)
		s.fake.with(func() { s.fake.failure = keyringLocked })
		s.sets(t, "a", "1", errTrouble)
		s.finds(t, "a", "1")
		s.finds(t, "seen", "0") // a copy
		s.lacks(t, "b", errTrouble)
		time.Sleep(time.Hour)
		s.hasProblem(t, "the keyring is locked; unlock it", 1)
		s.fake.with(func() { s.fake.failure = nil })
		time.Sleep(retryMost)
		synctest.Wait()
		s.fake.has(t, map[string]string{"seen": "0", "a": "1"})
		s.hasProblem(t, "", 2)
		began := s.fake.began
		time.Sleep(time.Hour)
		synctest.Wait()
		if s.fake.began != began {
			t.Error("it is asked although all is well")
		}
	})
}
