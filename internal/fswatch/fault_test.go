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

	"github.com/mcp-editord/mcp-editord/test/testkit/await"
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
				env.open = func() (backend, <-chan fsnotify.Event, <-chan error, error) {
					if closed.Load() {
						return nil, nil, nil, tt.opened
					}
					return f.open()
				}
			})
			_, told := x.watch(h, "d/f")
			x.watch(h, "other")
			x.write("d/f", "polled")
			told.await(t, "polled", func() bool { return x.see("d/f") == "file polled" })
			warnings := logs.FilterMessageSnippet("no more file watches").All()
			if len(warnings) != 1 || !strings.Contains(warnings[0].Message, advice(errors.Join(tt.err, tt.opened))) {
				t.Errorf("the warnings are %v", warnings)
			}

			f.refuse(nil)
			closed.Store(false)
			await.Until(t, "watches again", func() bool { return polled(h) == "" && f.watches(x.at("d")) == 1 })
			if logs.Len() != 1 {
				t.Errorf("it was said %d times", logs.Len())
			}
		})
	}
}

// Fault watch-limit: after an overflow everybody is told, and every watch is made anew.
func TestOverflow(t *testing.T) {
	x := newTree(t)
	x.mkdir("1")
	x.mkdir("2")
	f := newFake()
	h, _ := hubWith(t, f, nil)
	_, one := x.watching(h, "1")
	fs, two := foldersOn(t, h, x.at("2"))

	f.mu.Lock()
	before := f.adds
	f.mu.Unlock()
	f.err <- fsnotify.ErrEventOverflow
	one.await(t, "overflow", always)
	two.await(t, "overflow", always)
	if hints := fs.Take(); !hints.All || len(hints.Folders) != 0 {
		t.Errorf("the hints are %+v", hints)
	}
	for range 2 { // the second time there is nothing to do
		if why := fs.Add(x.at("2")); why != "" {
			t.Error(why)
		}
	}
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
	w, told := x.watching(h, "net/d", "local")
	if f.watches(x.base) != 1 || f.watches(x.at("local")) != 1 || f.watches(x.at("net")) != 0 || f.watches(x.at("net/d")) != 0 {
		t.Errorf("watched are %v", f.added)
	}
	if logs.Len() != 1 || logs.FilterMessageSnippet("testfs").Len() != 1 {
		t.Errorf("the log says %v", logs.All())
	}
	x.write("net/d/f", "1")
	told.await(t, "a file is made", func() bool { return x.see("net/d") == "dir f" })
	x.write("net/d/f", "two")
	told.await(t, "a file is written", func() bool { return x.see("net/d/f") == "file two" })
	w.Set(x.at("local"))
	await.Until(t, "nobody polls what nobody needs", func() bool { return polled(h) == "" })
}

// A Watch is told of what happens to its path, inside it and on the way to it; a Folders of entries that
// come and go, and where another folder may be (!).
func TestOnlyWhatMatters(t *testing.T) {
	x := newTree(t)
	x.mkdir("d/e")
	f := newFake()
	h, _ := hubWith(t, f, nil)
	w := h.newWatch(nil, []string{x.at("d/e")}) // without its goroutine
	h.join(w)
	w.look()
	fs, _ := foldersOn(t, h, x.at("d"), x.at("d/e"))
	for _, tt := range []struct {
		name  string
		at    string
		op    fsnotify.Op
		told  bool
		hints string
	}{
		{"beside the way", "other", fsnotify.Create, false, ""},
		{"deeper than directly inside", "d/e/g/h", fsnotify.Create, false, ""},
		{"on the way", "d", fsnotify.Create, true, "d!"},
		{"a file beside the path", "d/other", fsnotify.Write, false, ""},
		{"an entry comes beside the path", "d/new", fsnotify.Create, false, "d"},
		{"the path", "d/e", fsnotify.Chmod, true, "e"},
		{"the path goes", "d/e", fsnotify.Remove, true, "d e!"},
		{"the path is renamed over another", "d/e", fsnotify.Create, true, "d e!"},
		{"a file inside is written", "d/e/g", fsnotify.Write, true, ""},
		{"an entry inside goes", "d/e/g", fsnotify.Remove, true, "e"},
		{"the base itself", ".", fsnotify.Rename, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.send(fsnotify.Event{Name: x.at(tt.at), Op: tt.op})
			if told := len(w.pending) == 1; told != tt.told {
				t.Errorf("the Watch is told: %v", told)
			}
			for len(w.pending) > 0 {
				<-w.pending
			}
			hints, got := fs.Take(), ""
			for _, path := range []string{"d", "d/e"} {
				if another, ok := hints.Folders[x.at(path)]; ok {
					got += " " + filepath.Base(path)
					if another {
						got += "!"
					}
				}
			}
			if got = strings.TrimSpace(got); got != tt.hints || hints.All {
				t.Errorf("the hints are %q, want %q", got, tt.hints)
			}
		})
	}
	h.leave(w)
}

// A change between two looks is not lost when Set looks first.
func TestSetKeepsNews(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	f := newFake()
	f.refuse(errSpace)
	h, _ := hubWith(t, f, func(env *environment) { env.pollEvery = time.Hour })
	w, told := x.watching(h, "d")
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
	fs, _ := foldersOn(t, h)
	info, err := os.Lstat(x.at("d"))
	x.must(err)
	watched := func(path string) bool { return h.add(fs, x.at(path), info) == "" }
	if !watched("d") || watched("mounted") {
		t.Error("not watched by its first name alone")
	}
	h.lost()
	if !watched("mounted") || f.watches(x.at("d")) != 0 {
		t.Error("after an overflow the directory is watched by two names")
	}
	h.lost()
	if !watched("d") {
		t.Error("after another the first name is not watched")
	}
	x.rename("d", "mounted")
	if !watched("mounted") || f.watches(x.at("d")) != 0 {
		t.Error("the watch did not follow the directory to its new name")
	}
}
