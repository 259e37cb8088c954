package fswatch

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

const deadline = 2 * time.Minute // for every wait

// fake is a backend that watches nothing: the test sends the events.
type fake struct {
	event chan fsnotify.Event
	err   chan error

	mu      sync.Mutex
	added   map[string]int // how often each currently watched directory was added
	adds    int
	refusal error // what Add answers
}

func newFake() *fake {
	return &fake{event: make(chan fsnotify.Event), err: make(chan error), added: map[string]int{}}
}

func (f *fake) open() (backend, <-chan fsnotify.Event, <-chan error, error) {
	return f, f.event, f.err, nil
}

func (f *fake) Add(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.adds++
	if f.refusal != nil {
		return f.refusal
	}
	f.added[dir]++
	return nil
}

func (f *fake) Remove(dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.added[dir] == 0 {
		return fsnotify.ErrNonExistentWatch
	}
	delete(f.added, dir)
	return nil
}

func (f *fake) Close() error {
	close(f.event)
	close(f.err)
	return nil
}

func (f *fake) refuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refusal = err
}

func (f *fake) watches(dir string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.added[dir]
}

// send waits until the hub has handled event: it receives a second one only after handling
// the first.
func (f *fake) send(event fsnotify.Event) {
	f.event <- event
	f.event <- fsnotify.Event{}
}

// hubWith returns a Hub on f, which polls fast, and what it logs.
func hubWith(t *testing.T, f *fake, change func(*environment)) (*Hub, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.WarnLevel)
	env := environment{
		open:        f.open,
		unwatchable: func(string) string { return "" },
		watchMounts: func(func([]string)) func() { return func() {} },
		maxFolders:  func() int { return 1000 },
		pollEvery:   5 * time.Millisecond,
	}
	if change != nil {
		change(&env)
	}
	h := newHub(zap.New(core), env)
	closeAtEnd(t, h)
	return h, logs
}

// realHub returns a Hub on the watches of the system, and what it logs.
func realHub(t *testing.T) (*Hub, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.WarnLevel)
	h := New(zap.New(core))
	closeAtEnd(t, h)
	return h, logs
}

func closeAtEnd(t *testing.T, h *Hub) {
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("closing the hub: %v", err)
		}
	})
}

// polled returns a folder that is not watched now; "" when there is none.
func polled(h *Hub) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.dirs {
		if !d.watched {
			return d.path
		}
	}
	return ""
}

// calls lets a test await calls of changed.
type calls chan struct{}

func newCalls() calls { return make(calls, 1) }

func (c calls) changed() {
	select {
	case c <- struct{}{}:
	default:
	}
}

// await waits until ok holds, which it checks after every call.
func (c calls) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(deadline)
	for {
		select {
		case <-c:
			if ok() {
				return
			}
		case <-late:
			t.Fatalf("not told: %s", what)
		}
	}
}

func always() bool { return true }

var errSpace = errors.Join(errors.New("inotify_add_watch"), syscall.ENOSPC)
