// Package debounce makes one call of many events.
//
// Invariants of a [Debouncer]:
//
//   - Its function runs once the events have been quiet for a while, and never
//     later than a fixed time after the first of them.
//   - Every Trigger is followed by the begin of a run, unless Stop comes first.
//   - The function never runs concurrently with itself, and not after Stop has
//     returned.
package debounce

import (
	"sync"
	"time"
)

// A Debouncer is made by [New]. Its methods are safe for concurrent use.
type Debouncer struct {
	quiet, max time.Duration
	f          func()

	mu      sync.Mutex  // guards the fields that follow; never held while f runs
	ended   *sync.Cond  // on mu: a run has ended
	timer   *time.Timer // runs fire; nil until the first Trigger
	first   time.Time   // of the events that wait for a run; zero when none does
	due     time.Time   // when they are to be served, if first is not zero
	running bool
	stopped bool
}

// New returns a Debouncer that runs f when quiet has passed since the last
// Trigger, at the latest max after the first one. A run that is due while another
// is under way begins when that one has returned.
func New(quiet, max time.Duration, f func()) *Debouncer {
	d := &Debouncer{quiet: quiet, max: max, f: f}
	d.ended = sync.NewCond(&d.mu)
	return d
}

// Trigger tells of one event. It does not block, and may be called by f.
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
// and never will again. It waits for f, and so it must not be called by f, nor while a lock
// is held that f takes.
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

// arm sets the timer to due. Called with mu held.
func (d *Debouncer) arm() {
	wait := time.Until(d.due)
	if d.timer == nil {
		d.timer = time.AfterFunc(wait, d.fire)
		return
	}
	d.timer.Reset(wait)
}

// fire is what the timer runs, on a goroutine of its own.
func (d *Debouncer) fire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	// A timer that is reset while it fires runs this twice: the one that is too
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
