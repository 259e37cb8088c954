// Package debounce turns many events into one call.
//
// Invariants of a [Debouncer]:
//
//   - Its function runs once the events have been quiet for a while, and never
//     later than a fixed time after the first of them.
//   - A run begins after every Trigger, unless Stop comes first.
//   - The function never runs concurrently with itself, and not after Stop has
//     returned.
package debounce

import (
	"sync"
	"time"
)

// A Debouncer turns many events into one call. [New] makes one. Its methods are safe for
// concurrent use.
type Debouncer struct {
	quiet, max time.Duration
	f          func()

	mu      sync.Mutex  // guards the fields that follow; never held while f runs
	ended   *sync.Cond  // on mu: a run has ended
	timer   *time.Timer // runs fire; nil until the first Trigger
	first   time.Time   // of the events that wait for a run; zero when none waits
	due     time.Time   // when to serve them, if first is not zero
	running bool
	stopped bool
}

// New returns a Debouncer that runs f when quiet has passed since the last
// Trigger, at the latest max after the first one. A run that is due during another
// begins when that one returns.
func New(quiet, max time.Duration, f func()) *Debouncer {
	d := &Debouncer{quiet: quiet, max: max, f: f}
	d.ended = sync.NewCond(&d.mu)
	return d
}

// Trigger reports one event. It does not block, and f may call it.
func (d *Debouncer) Trigger() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return
	}
	now := time.Now()
	if d.first.IsZero() {
		d.first = now
	}
	d.due = now.Add(min(d.quiet, d.max-now.Sub(d.first)))
	if !d.running { // else the end of the run arms the timer
		d.arm()
	}
}

// Stop drops events that are not served yet and returns when f is not running
// and never will again. It waits for f. So f must not call it, nor may a caller that
// holds a lock that f takes.
func (d *Debouncer) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	if d.timer != nil {
		d.timer.Stop()
	}
	for d.running {
		d.ended.Wait()
	}
}

// arm sets the timer to due. The caller holds mu.
func (d *Debouncer) arm() {
	wait := time.Until(d.due)
	if d.timer == nil {
		d.timer = time.AfterFunc(wait, d.fire)
		return
	}
	d.timer.Reset(wait)
}

// fire runs when the timer does, on a goroutine of its own.
func (d *Debouncer) fire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	// A timer that is reset while it fires runs this twice: a call that comes too
	// early, or finds nothing left to do, returns.
	if d.stopped || d.running || d.first.IsZero() || time.Until(d.due) > 0 {
		return
	}
	d.first = time.Time{}
	d.running = true
	defer func() { // also when f ends its goroutine
		d.running = false
		if !d.first.IsZero() && !d.stopped {
			d.arm()
		}
		d.ended.Broadcast()
	}()
	d.mu.Unlock()
	defer d.mu.Lock() // runs before the function above
	d.f()
}
