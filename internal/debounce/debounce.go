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

	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

// A Debouncer turns many events into one call. [New] makes one. Its methods are safe for
// concurrent use.
type Debouncer struct {
	quiet, max time.Duration
	runner     *rerun.Runner // runs serve
	timer      *time.Timer   // has it run
	f          func()

	mu      sync.Mutex // guards the fields that follow; never held while f runs
	first   time.Time  // of the events that wait for a run; zero when none waits
	stopped bool
}

// New returns a Debouncer that runs f when quiet has passed since the last
// Trigger, at the latest max after the first one. A run that is due during another
// begins when that one returns.
func New(quiet, max time.Duration, f func()) *Debouncer {
	d := &Debouncer{quiet: quiet, max: max, f: f}
	d.runner = rerun.New(d.serve)
	d.timer = time.AfterFunc(max, func() { d.runner.Again() })
	d.timer.Stop()
	return d
}

// Trigger reports one event. It does not block, and f may call it.
func (d *Debouncer) Trigger() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return
	}
	if d.first.IsZero() {
		d.first = time.Now()
	}
	d.timer.Reset(min(d.quiet, d.max-time.Since(d.first)))
}

// Stop drops events that are not served yet and returns when f is not running
// and never will again. It waits for f. So f must not call it, nor may a caller that
// holds a lock that f takes.
func (d *Debouncer) Stop() {
	d.mu.Lock()
	d.stopped = true
	d.timer.Stop()
	d.mu.Unlock()
	<-d.runner.Again()
}

// serve runs f for the events that wait.
func (d *Debouncer) serve() {
	d.mu.Lock()
	due := !d.first.IsZero() && !d.stopped
	d.first = time.Time{}
	d.mu.Unlock()
	if due {
		d.f()
	}
}
