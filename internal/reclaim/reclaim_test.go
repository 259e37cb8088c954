package reclaim

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Memory is given back once after each time of activity, if it is worth it, and never during one.
func TestReclaimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var used atomic.Uint64
		var given atomic.Int32
		var lately atomic.Int64 // when it was given back last
		r := newWith(used.Load, func() {
			given.Add(1)
			lately.Store(time.Now().UnixNano())
		})
		defer r.Stop()
		expect := func(what string, want int32) {
			t.Helper()
			synctest.Wait()
			if n := given.Load(); n != want {
				t.Fatalf("%s: memory was given back %d times so far, want %d", what, n, want)
			}
		}
		// message is one that needs size bytes, and what follows it for a time.
		message := func(size int, then time.Duration) {
			used.Add(uint64(size))
			r.Trigger()
			time.Sleep(then)
		}

		message(worthwhile/4, time.Hour)
		expect("after a start that needed little", 1)
		time.Sleep(24 * time.Hour)
		expect("nothing happens", 1)

		for range 100 {
			message(worthwhile, quietTime-time.Millisecond)
		}
		last := time.Now()
		expect("messages keep coming", 1)
		time.Sleep(2 * quietTime)
		expect("quiet", 2)
		if waited := time.Unix(0, lately.Load()).Sub(last); waited > 2*quietTime {
			t.Errorf("it took %v", waited)
		}

		for range 3 {
			message(worthwhile/4, time.Hour)
		}
		expect("little was allocated", 2)
		message(worthwhile/4, time.Hour)
		expect("little and often", 3)

		r.Stop()
		message(worthwhile, time.Hour)
		expect("stopped", 3)
	})
}

// A message that comes while memory is being given back starts another time of activity. What giving
// back allocates does not count.
func TestReclaimerDisturbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var used atomic.Uint64
		used.Store(worthwhile)
		giving, given := make(chan struct{}), make(chan struct{})
		r := newWith(used.Load, func() {
			giving <- struct{}{}
			<-given
		})
		defer r.Stop()
		<-giving
		r.Trigger()
		used.Add(worthwhile)
		given <- struct{}{}
		select {
		case <-giving:
			t.Error("it was given back again for what it allocated itself")
		case <-time.After(time.Hour):
		}
		used.Add(worthwhile)
		r.Trigger()
		<-giving
		given <- struct{}{}
	})
}
