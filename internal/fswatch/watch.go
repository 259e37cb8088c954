package fswatch

import (
	"sync"
	"time"
)

// A Watch calls a function when something at its paths may have changed. It is
// made by [Hub.Watch]; its methods are safe for concurrent use.
type Watch struct {
	hub     *Hub
	changed func()

	pending chan struct{} // holds one: something may have changed
	stop    chan struct{} // closed by Close
	once    sync.Once
	done    chan struct{} // closed when run has returned

	mu    sync.Mutex // held while the disk is read, not while changed runs; guards the fields that follow
	paths []string
	seen  map[entry]state // of what is polled
	ended bool
}

// Watch watches paths and calls changed when something at one of them, directly
// inside it when it is a directory, or on the way to it may have changed. Paths
// are absolute, name files or directories, and need not exist.
//
// What happens after Watch has returned is not missed. changed may be called
// for nothing. It is never called concurrently with itself nor with a lock held, and not
// after Close has returned.
func (h *Hub) Watch(changed func(), paths ...string) *Watch {
	w := &Watch{
		hub:     h,
		changed: changed,
		pending: make(chan struct{}, 1),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	h.mu.Lock()
	w.ended = h.closed
	if !h.closed {
		h.watches[w] = true
	}
	h.mu.Unlock()
	if w.ended {
		close(w.done)
		return w
	}
	w.Set(paths...)
	go w.run()
	return w
}

// Set replaces the paths. What happens to them after Set has returned is not
// missed; neither is what happens meanwhile to a path that was there before. It
// may be called by changed.
func (w *Watch) Set(paths ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	polled := len(w.seen) > 0
	w.paths = append([]string(nil), paths...)
	news := w.look()
	if news || !polled && len(w.seen) > 0 { // run has to know that there is something to poll
		w.poke()
	}
}

// Close ends the watch. changed has returned and is not called again, so Close
// must not be called by changed, nor while a lock is held that changed takes.
func (w *Watch) Close() {
	w.once.Do(func() { close(w.stop) })
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.ended = true
	w.hub.keep(w, nil)
	w.hub.mu.Lock()
	delete(w.hub.watches, w)
	w.hub.mu.Unlock()
}

// poke wakes run. It does not block.
func (w *Watch) poke() {
	select {
	case w.pending <- struct{}{}:
	default:
	}
}

// run is the goroutine of the watch. Close ends it.
func (w *Watch) run() {
	defer close(w.done)
	for {
		w.mu.Lock()
		polls := len(w.seen) > 0
		w.mu.Unlock()
		var poll <-chan time.Time
		if polls {
			poll = time.After(w.hub.env.pollEvery)
		}

		call := true
		select {
		case <-w.stop:
			return
		case <-w.pending:
			w.again()
		case <-poll:
			call = w.again()
		}
		if call {
			select {
			case <-w.stop:
				return
			default:
				w.changed()
			}
		}

		select {
		case <-w.stop:
			return
		case <-time.After(pause):
		}
	}
}

// again looks at the paths, and tells whether something that is polled has changed.
func (w *Watch) again() (news bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.look()
}
