package fswatch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Fault watch-limit: the log names the limit once, with what to do, and the watches
// come back when there is room.
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error // of Add
		opened error
	}{
		{"no more watches", errSpace, nil},
		{"no more descriptors", syscall.EMFILE, nil},
		{"no watcher at all", nil, syscall.EMFILE},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newTree(t)
			f := newFake()
			f.refuse(tt.err)
			var closed atomic.Bool
			closed.Store(tt.opened != nil)
			h, logs := hubWith(t, f, func(env *environment) {
				env.open = func() (backend, error) {
					if closed.Load() {
						return nil, tt.opened
					}
					return f, nil
				}
			})
			told := newCalls()
			w := h.Watch(told.changed, x.at("d/f"))
			defer w.Close()
			other := h.Watch(func() {}, x.at("other"))
			defer other.Close()

			x.write("d/f", "polled")
			told.await(t, "polled", func() bool { return x.see("d/f") == "file polled" })
			if why := degraded(h); !strings.Contains(why, "raise the limit") {
				t.Errorf("it is degraded because %q", why)
			}
			warnings := logs.FilterMessageSnippet("no more file watches").All()
			if len(warnings) != 1 || !strings.Contains(warnings[0].Message, advice(errors.Join(tt.err, tt.opened))) {
				t.Errorf("the warnings are %v", warnings)
			}

			f.refuse(nil)
			closed.Store(false)
			eventually(t, "watches again", func() bool { return degraded(h) == "" && f.watches(x.at("d")) == 1 })
			if logs.Len() != 1 {
				t.Errorf("it was said %d times", logs.Len())
			}
		})
	}
}

// Fault watch-limit: after an overflow every Watch is called, and every watch is made anew.
func TestOverflow(t *testing.T) {
	x := newTree(t)
	f := newFake()
	h, _ := hubWith(t, f, nil)
	one, two := newCalls(), newCalls()
	x.mkdir("1")
	x.mkdir("2")
	w1 := h.Watch(one.changed, x.at("1"))
	defer w1.Close()
	w2 := h.Watch(two.changed, x.at("2"))
	defer w2.Close()
	one.await(t, "that it watches", always)
	two.await(t, "that it watches", always)
	x.write("1/missed", "")

	f.mu.Lock()
	before := f.adds
	f.mu.Unlock()
	f.err <- fsnotify.ErrEventOverflow
	one.await(t, "overflow", always)
	two.await(t, "overflow", always)
	f.mu.Lock()
	defer f.mu.Unlock()
	if got, want := f.adds-before, len(f.added); got != want {
		t.Errorf("%d of %d watches were made anew", got, want)
	}
}

// Only filesystems that do not report changes are polled.
func TestUnwatchable(t *testing.T) {
	x := newTree(t)
	x.mkdir("net/d")
	x.mkdir("local")
	f := newFake()
	h, logs := hubWith(t, f, func(env *environment) {
		env.unwatchable = func(dir string) string {
			if strings.HasPrefix(dir, x.at("net")) {
				return "testfs filesystems do not report changes"
			}
			return ""
		}
	})
	told := newCalls()
	w := h.Watch(told.changed, x.at("net/d"), x.at("local"))
	defer w.Close()
	told.await(t, "that it watches", always)
	if f.watches(x.base) != 1 || f.watches(x.at("local")) != 1 || f.watches(x.at("net")) != 0 || f.watches(x.at("net/d")) != 0 {
		t.Errorf("watched are %v", f.added)
	}
	if why := degraded(h); !strings.Contains(why, "testfs") {
		t.Errorf("it is degraded because %q", why)
	}
	if logs.Len() != 1 {
		t.Errorf("it was said %d times", logs.Len())
	}
	x.write("net/d/f", "1")
	told.await(t, "a file is made", func() bool { return x.see("net/d") == "dir f" })
	x.write("net/d/f", "two")
	told.await(t, "a file is written", func() bool { return x.see("net/d/f") == "file two" })
	w.Set(x.at("local"))
	eventually(t, "nobody polls what nobody needs", func() bool { return degraded(h) == "" })
}

func TestOnlyWhatMatters(t *testing.T) {
	x := newTree(t)
	x.mkdir("d/e")
	f := newFake()
	h, _ := hubWith(t, f, nil)
	w := h.newWatch(nil, []string{x.at("d/e")}) // without its goroutine
	w.look()
	for _, tt := range []struct {
		name string
		at   string
		op   fsnotify.Op
		want bool
	}{
		{"beside the way", "other", fsnotify.Create, false},
		{"deeper than directly inside", "d/e/g/h", fsnotify.Create, false},
		{"on the way", "d", fsnotify.Create, true},
		{"beside the path", "d/other", fsnotify.Write, false},
		{"the path", "d/e", fsnotify.Chmod, true},
		{"inside", "d/e/g", fsnotify.Write, true},
		{"the base itself", ".", fsnotify.Rename, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.send(fsnotify.Event{Name: x.at(tt.at), Op: tt.op})
			got := false
			select {
			case <-w.pending:
				got = true
			default:
			}
			if got != tt.want {
				t.Errorf("told: %v", got)
			}
		})
	}
	h.keep(w, nil)
}

func TestSharedDirectories(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	f := newFake()
	h, _ := hubWith(t, f, nil)
	first, second := newCalls(), newCalls()
	one := h.Watch(first.changed, x.at("d"))
	two := h.Watch(second.changed, x.at("d"), x.at("d"))
	first.await(t, "that it watches", always)
	second.await(t, "that it watches", always)
	f.mu.Lock()
	for dir, times := range f.added {
		if times != 1 {
			t.Errorf("%s is watched %d times", dir, times)
		}
	}
	f.mu.Unlock()
	holds := func() (watches, dirs int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.watches), len(h.dirs)
	}
	one.Close()
	eventually(t, "one has ended", func() bool { n, _ := holds(); return n == 1 })
	if f.watches(x.at("d")) != 1 {
		t.Error("the watch ended while it was needed")
	}
	two.Set(x.at("other"))
	second.await(t, "that it watches the other path", always)
	if f.watches(x.at("d")) != 0 || f.watches(x.base) != 1 {
		t.Errorf("watched are %v", f.added)
	}
	two.Close()
	eventually(t, "nothing is left", func() bool { watches, dirs := holds(); return watches+dirs == 0 })
	if len(f.added) != 0 {
		t.Errorf("left are %v", f.added)
	}
}

// A change between two looks is not lost when Set looks first.
func TestSetKeepsNews(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	f := newFake()
	f.refuse(errSpace)
	h, _ := hubWith(t, f, func(env *environment) { env.pollEvery = time.Hour; env.retryAfter = time.Hour })
	told := newCalls()
	w := h.Watch(told.changed, x.at("d"))
	defer w.Close()
	told.await(t, "that it polls", always)
	x.mkdir("d/new")
	w.Set(x.at("d"), x.at("other"))
	told.await(t, "the change before Set", always)
}

// One directory with two names, as after a bind mount, cannot have two watches.
func TestTwoNames(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	f := newFake()
	h, _ := hubWith(t, f, nil)
	w := h.newWatch(nil, nil)
	info, err := os.Lstat(x.at("d"))
	x.must(err)
	h.want(w, x.at("d"), anyName, info)
	if h.want(w, filepath.Join(x.base, "mounted"), anyName, info) {
		t.Error("the second name is watched, too")
	}
	h.lost()
	if !h.want(w, x.at("mounted"), anyName, info) || f.watches(x.at("d")) != 0 {
		t.Error("after an overflow the directory is watched by two names")
	}
	h.lost()
	if !h.want(w, x.at("d"), anyName, info) {
		t.Error("after another the first name is not watched")
	}
	x.rename("d", "mounted")
	if !h.want(w, x.at("mounted"), anyName, info) || f.watches(x.at("d")) != 0 {
		t.Error("the watch did not follow the directory to its new name")
	}
	h.keep(w, nil)
}
