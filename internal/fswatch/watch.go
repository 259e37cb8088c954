package fswatch

import (
	"slices"
	"sync"
	"time"
)

// A Watch calls a function when something at its paths may have changed. [Hub.Watch]
// makes one; its methods are safe for concurrent use. None of them waits for the
// disk: only the goroutine of the Watch does, and a disk that hangs holds up that goroutine alone.
type Watch struct {
	hub     *Hub
	changed func()

	pending chan struct{}   // holds one: something may have changed
	stop    chan struct{}   // closed by Close
	polled  bool            // some directories are not watched; used only by run
	dirs    map[string]bool // the paths of the directories that it needs; guarded by Hub.mu

	mu      sync.Mutex // guards the fields that follow; never held while the disk is read, nor while changed runs
	quiet   sync.Cond  // on mu: changed has returned
	paths   []string
	calling bool
	closed  bool
}

// Watch watches paths. It calls changed when something may have changed at one of them, directly
// inside it when it is a directory, or on the way to it. Paths
// are absolute, name files or directories, and need not exist.
//
// The first call of changed comes when the paths are watched, so no change after Watch
// has returned gets lost. There may be calls for nothing: where no watch works, there is one every
// two seconds. changed is never called concurrently with itself nor with a lock held, and not after
// Close has returned.
func (h *Hub) Watch(changed func(), paths ...string) *Watch {
	w := h.newWatch(changed, paths)
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.watches[w] = true
	}
	h.mu.Unlock()
	if closed {
		w.Close()
		return w
	}
	w.poke()
	go w.run()
	return w
}

func (h *Hub) newWatch(changed func(), paths []string) *Watch {
	w := &Watch{
		hub: h, changed: changed, pending: make(chan struct{}, 1), stop: make(chan struct{}),
		dirs: map[string]bool{}, paths: slices.Clone(paths),
	}
	w.quiet.L = &w.mu
	return w
}

// Set replaces the paths. It calls changed when the new ones are watched, so no change
// to them after Set has returned gets lost, nor a change meanwhile to a path that was there
// before. Setting the same paths again does nothing. changed may
// call Set.
func (w *Watch) Set(paths ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Equal(w.paths, paths) {
		return
	}
	w.paths = slices.Clone(paths)
	w.poke()
}

// Close ends the watch. When it returns, changed has returned and is not called again. So changed
// must not call Close, nor may a caller that holds a lock that changed takes.
// The watches of the system end a moment later.
func (w *Watch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		close(w.stop)
	}
	for w.calling {
		w.quiet.Wait()
	}
}

// poke wakes run. It does not block.
func (w *Watch) poke() {
	select {
	case w.pending <- struct{}{}:
	default:
	}
}

// run is the goroutine of the watch. Close ends it, once the disk has answered.
func (w *Watch) run() {
	defer w.hub.forget(w)
	for {
		var poll <-chan time.Time
		if w.polled {
			poll = time.After(w.hub.env.pollEvery)
		}
		select {
		case <-w.stop:
			return
		case <-w.pending:
		case <-poll:
		}
		w.look()
		w.call()
		select {
		case <-w.stop:
			return
		case <-time.After(pause):
		}
	}
}

// call calls changed, unless the watch is closed.
func (w *Watch) call() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.calling = true
	defer func() { // also when changed ends its goroutine
		w.calling = false
		w.quiet.Broadcast()
	}()
	w.mu.Unlock()
	defer w.mu.Lock() // runs before the function above
	w.changed()
}
