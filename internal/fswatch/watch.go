package fswatch

import (
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A Watch calls a function when something at its paths may have changed. [Hub.Watch]
// makes one; its methods are safe for concurrent use. None of them waits for the
// disk: only the goroutine of the Watch does, and a disk that hangs holds up that goroutine alone.
type Watch struct {
	hub     *Hub
	changed func()

	pending chan struct{}    // holds one: something may have changed
	stop    chan struct{}    // closed by Close
	closing sync.Once        // closes stop
	calling sync.Mutex       // held while changed runs
	wanted  map[string]names // what matters in each directory that it is in; guarded by Hub.mu

	mu    sync.Mutex // guards paths; never held while the disk is read, nor while changed runs
	paths []string   // replaced as a whole
}

// names are the entries of a directory that matter; anyName stands for all of them.
type names map[string]bool

const anyName = ""

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
	if h.join(w) {
		w.poke()
		go w.run()
	}
	return w
}

func (h *Hub) newWatch(changed func(), paths []string) *Watch {
	return &Watch{
		hub: h, changed: changed, pending: make(chan struct{}, 1), stop: make(chan struct{}),
		wanted: map[string]names{}, paths: slices.Clone(paths),
	}
}

// Set replaces the paths. It calls changed when the new ones are watched, so no change
// to them after Set has returned gets lost, nor a change meanwhile to a path that was there
// before. Setting the same paths again does nothing.
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
	w.closing.Do(func() { close(w.stop) })
	w.calling.Lock()
	defer w.calling.Unlock()
}

// poke wakes run. It does not block.
func (w *Watch) poke() {
	select {
	case w.pending <- struct{}{}:
	default:
	}
}

func (w *Watch) hear(dir, name string, _ fsnotify.Op, _ bool) {
	if wanted := w.wanted[dir]; name == "" || wanted[name] || wanted[anyName] {
		w.poke()
	}
}

func (w *Watch) lose() { w.poke() }

// run is the goroutine of the watch. Close ends it, once the disk has answered.
func (w *Watch) run() {
	defer w.hub.leave(w)
	for polled := false; ; {
		var poll <-chan time.Time
		if polled {
			poll = time.After(w.hub.env.pollEvery)
		}
		select {
		case <-w.stop:
			return
		case <-w.pending:
		case <-poll:
		}
		polled = w.look()
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
	w.calling.Lock()
	defer w.calling.Unlock() // also when changed ends its goroutine
	select {
	case <-w.stop:
	default:
		w.changed()
	}
}

// want has the directory at dir watched for name. It returns false when w must poll it.
func (w *Watch) want(dir, name string, info fs.FileInfo) (watched bool) {
	w.hub.mu.Lock()
	if w.wanted[dir] == nil {
		w.wanted[dir] = names{}
	}
	w.wanted[dir][name] = true
	w.hub.mu.Unlock()
	return w.hub.add(w, dir, info) == ""
}

// keep makes wanted all that matters to w.
func (w *Watch) keep(wanted map[string]names) {
	w.hub.mu.Lock()
	gone := slices.DeleteFunc(slices.Collect(maps.Keys(w.wanted)), func(dir string) bool { return wanted[dir] != nil })
	w.wanted = wanted
	w.hub.mu.Unlock()
	for _, dir := range gone {
		w.hub.remove(w, dir)
	}
}
