// Package fswatch calls a function when something at, inside or on the way to a path may
// have changed.
//
// A [Hub] holds the one fsnotify watcher of the process. A [Watch] holds some paths, and a [Folders]
// many folders whose entries its owner reads: both are listeners in directories. For a Watch the Hub
// watches the directories on the way to each path, never files. So it sees atomic saves,
// files deleted and made again, renamed ancestors, and symbolic links pointed elsewhere.
// After every event a Watch reads from the disk again what to watch:
// events are hints, and after an overflow every Watch reads everything again.
//
// Where no watch works (the limits of the system, filesystems that do not
// report changes), a Watch looks and calls every two seconds instead: whoever it calls compares anyway.
//
// Invariants:
//
//   - A directory is watched before anybody looks at its entries, so no change gets lost
//     between looking and watching.
//   - A directory is watched once, however many Watches need it, and not at all when none does.
//   - The Hub takes events without waiting for anybody: each Watch acts on them on its own
//     goroutine.
//   - No lock is held while the disk is asked. A disk that hangs holds up the goroutines of the
//     Watches that look there, but neither other Watches nor any caller of a method.
//   - There are no queues: many events make one call.
package fswatch

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// The pace of the work.
const (
	pollEvery = 2 * time.Second       // between two looks at what cannot be watched
	pause     = 50 * time.Millisecond // between two looks of one Watch, so that a storm of events costs little
)

// A Hub holds the watched directories of all its listeners. [New] makes one;
// its methods are safe for concurrent use.
//
// Lock order: Hub.changing, Hub.mu; the locks of a Watch are held with neither. The function of a
// Folders runs with mu held. fsnotify may send while it
// holds a lock that its Add and Remove take. So never call these with mu held: the receiver
// needs it. Add looks the path up with that lock and changing held. So it only gets paths
// that the system has just found on a disk of this machine (see unwatchable).
type Hub struct {
	log      *zap.Logger
	env      environment
	receiver sync.WaitGroup // the goroutine that takes events

	stopMounts func()

	changing sync.Mutex      // serialises changes of what is watched; guards the fields up to mu
	backend  backend         // nil until it is open
	said     map[string]bool // the subjects in the log
	ended    bool            // no backend will be opened any more

	mu        sync.Mutex // guards the fields that follow and those of every directory and Folders
	dirs      map[string]*directory
	held      map[identity]*directory // those for which the backend may have a watch
	listeners map[listener]bool
	most      int       // how many directories there may be before no Folders gets another
	mostAt    time.Time // when the system was asked for most; zero: never
	closed    bool
}

// A listener hears what may have changed in the directories that it is in. The methods in lower case run
// with Hub.mu held.
type listener interface {
	// hear is told of the entry name of dir; "" is dir itself. another says that another directory may be
	// there now, and below it nothing is certain.
	hear(dir, name string, op fsnotify.Op, another bool)

	lose() // events were lost: everything may have changed
	Close()
}

// environment is the part that tests replace.
type environment struct {
	open        func() (backend, <-chan fsnotify.Event, <-chan error, error)
	unwatchable func(dir string) string // why the system does not report changes in dir; "" when it does
	watchMounts func(changed func(points []string)) (stop func())
	maxFolders  func() int // how many folders all Folders together may watch
	pollEvery   time.Duration
}

// backend is the part of fsnotify.Watcher that this package uses. Close closes its channels.
type backend interface {
	Add(dir string) error
	Remove(dir string) error
	Close() error
}

func openNotify() (backend, <-chan fsnotify.Event, <-chan error, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, nil, nil, err
	}
	return w, w.Events, w.Errors, nil
}

// New returns a Hub without Watches. A Hub that cannot get a watcher polls, and
// tries again.
func New(log *zap.Logger) *Hub {
	return newHub(log, environment{openNotify, unwatchable, watchMounts, maxFolders, pollEvery})
}

func newHub(log *zap.Logger, env environment) *Hub {
	h := &Hub{
		log:       log,
		env:       env,
		said:      map[string]bool{},
		dirs:      map[string]*directory{},
		held:      map[identity]*directory{},
		listeners: map[listener]bool{},
	}
	h.stopMounts = env.watchMounts(h.remounted)
	return h
}

// Close ends all Watches and the watcher. When it returns, the functions of the Watches have
// returned and are not called again. So none of them may call it. It does not wait for the
// disk.
func (h *Hub) Close() error {
	h.stopMounts()
	h.mu.Lock()
	h.closed = true
	listeners := slices.Collect(maps.Keys(h.listeners))
	h.mu.Unlock()
	for _, l := range listeners {
		l.Close()
	}

	h.changing.Lock()
	b := h.backend
	h.backend, h.ended = nil, true
	h.changing.Unlock()
	if b == nil {
		return nil
	}
	err := b.Close()
	h.receiver.Wait()
	if err != nil {
		return fmt.Errorf("closing the file watcher: %w", err)
	}
	return nil
}

// join makes l one of the listeners, unless the hub is closed.
func (h *Hub) join(l listener) (ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.listeners[l] = true
	}
	return !h.closed
}

// leave gives up all that l needs.
func (h *Hub) leave(l listener) {
	h.mu.Lock()
	delete(h.listeners, l)
	paths := slices.DeleteFunc(slices.Collect(maps.Keys(h.dirs)), func(path string) bool {
		return !slices.Contains(h.dirs[path].in, l)
	})
	h.mu.Unlock()
	for _, path := range paths {
		h.remove(l, path)
	}
}

// receive takes events and errors from a backend until it is closed.
func (h *Hub) receive(events <-chan fsnotify.Event, failures <-chan error) {
	for {
		select {
		case event, ok := <-events:
			if !ok {
				return
			}
			h.happened(event)
		case err, ok := <-failures:
			if !ok {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				h.log.Debug("file watcher", zap.Error(err))
			}
			// Whatever the error was, events may be missing, among them those
			// that report the end of a watch.
			h.lost()
		}
	}
}

// happened passes one event on to the listeners that it concerns.
func (h *Hub) happened(event fsnotify.Event) {
	if event.Name == "" {
		return // fsnotify's way of saying that this is not an event
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if d := h.dirs[event.Name]; d != nil { // about the directory itself
		gone := event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)
		if gone {
			d.watched = false // the watch is gone too; the next look renews it
		}
		d.tell("", event.Op, gone || event.Has(fsnotify.Create)) // another may have been renamed to its path
	}
	if dir := filepath.Dir(event.Name); dir != event.Name && h.dirs[dir] != nil {
		h.dirs[dir].tell(filepath.Base(event.Name), event.Op, false)
	}
}

// remounted makes everybody look again at the directories at and below points, where the mounts have
// changed: a watch ends silently with its mount.
func (h *Hub) remounted(points []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for path, d := range h.dirs {
		if slices.ContainsFunc(points, func(point string) bool { return isBelow(path, point) }) {
			d.watched = false
			d.tell("", 0, true)
		}
	}
}

// isBelow reports whether path is dir or below it. Both are clean.
func isBelow(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
	return ok && (rest == "" || os.IsPathSeparator(rest[0]))
}

// lost makes every listener look again and renew its directories: events got lost.
func (h *Hub) lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.dirs {
		d.watched = false
	}
	for l := range h.listeners {
		l.lose()
	}
}
