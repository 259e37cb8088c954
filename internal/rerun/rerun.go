// Package rerun runs a function again for anyone who asks, on a goroutine that nobody has
// to wait for.
//
// Invariants of a [Runner]:
//
//   - The channel from [Runner.Again] closes after a run that began after the call.
//   - The function never runs concurrently with itself: all calls of Again during a run together
//     cause one more run.
//   - There is one goroutine while there is something to do, and none otherwise. A function that
//     hangs costs that one, however many calls of Again there are.
package rerun

import "sync"

// A Runner runs one function again and again. [New] makes one. Its methods are safe for
// concurrent use.
type Runner struct {
	f func()

	mu      sync.Mutex    // guards the fields that follow; never held while f runs
	running chan struct{} // closed at the end of the run under way; nil when there is none
	next    chan struct{} // the same for the run after it; nil when nobody has asked for one
}

// New returns a Runner for f. It does not run f yet.
func New(f func()) *Runner { return &Runner{f: f} }

// Again has f run, and returns at once. done closes when a run that begins from now on
// has ended. f may call Again.
func (r *Runner) Again() (done <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = make(chan struct{})
		if r.running == nil {
			r.running, r.next = r.next, nil
			go r.run()
			return r.running
		}
	}
	return r.next
}

// run runs f until nobody asks any more.
func (r *Runner) run() {
	for {
		r.f()
		r.mu.Lock()
		close(r.running)
		r.running, r.next = r.next, nil
		more := r.running != nil
		r.mu.Unlock()
		if !more {
			return
		}
	}
}
