package fswatch

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// tree is a directory for one test, by its canonical name.
type tree struct {
	t    *testing.T
	base string
}

func newTree(t *testing.T) tree {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return tree{t, base}
}

func (x tree) at(path string) string { return filepath.Join(x.base, path) }

func (x tree) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x tree) write(path, text string) {
	x.t.Helper()
	x.must(os.MkdirAll(filepath.Dir(x.at(path)), 0o777))
	x.must(os.WriteFile(x.at(path), []byte(text), 0o666))
}

func (x tree) mkdir(path string)      { x.t.Helper(); x.must(os.MkdirAll(x.at(path), 0o777)) }
func (x tree) remove(path string)     { x.t.Helper(); x.must(os.RemoveAll(x.at(path))) }
func (x tree) rename(from, to string) { x.t.Helper(); x.must(os.Rename(x.at(from), x.at(to))) }

func (x tree) link(target, path string) {
	x.t.Helper()
	if err := os.Symlink(target, x.at(path)); err != nil {
		x.t.Skip("no symbolic links:", err)
	}
}

// see returns what is at path: the text of a file, or the names in a directory.
func (x tree) see(path string) string {
	if entries, err := os.ReadDir(x.at(path)); err == nil {
		names := "dir"
		for _, e := range entries {
			names += " " + e.Name()
		}
		return names
	}
	text, err := os.ReadFile(x.at(path))
	if err != nil {
		return "nothing"
	}
	return "file " + string(text)
}

// watch watches paths of the tree until the test ends.
func (x tree) watch(h *Hub, paths ...string) (*Watch, calls) {
	x.t.Helper()
	for i, path := range paths {
		paths[i] = x.at(path)
	}
	told := newCalls()
	w := h.Watch(told.changed, paths...)
	x.t.Cleanup(w.Close)
	return w, told
}

// watching is watch that waits until the paths are watched.
func (x tree) watching(h *Hub, paths ...string) (*Watch, calls) {
	x.t.Helper()
	w, told := x.watch(h, paths...)
	told.await(x.t, "that it watches", always)
	return w, told
}

// A change is what can happen on the way to d/e/f. It happens once the path is watched, and then the path
// must look like want.
type change struct {
	name           string
	before, change func(x tree)
	want           string
}

var changes = []change{
	{"a file is written",
		func(x tree) { x.write("d/e/f", "1") }, func(x tree) { x.write("d/e/f", "two") }, "file two"},
	{"a file is saved by renaming another over it",
		func(x tree) { x.write("d/e/f", "1") },
		func(x tree) { x.write("d/e/new", "two"); x.rename("d/e/new", "d/e/f") }, "file two"},
	{"a file is made",
		func(x tree) { x.mkdir("d/e") }, func(x tree) { x.write("d/e/f", "1") }, "file 1"},
	{"a file is deleted",
		func(x tree) { x.write("d/e/f", "1") }, func(x tree) { x.remove("d/e/f") }, "nothing"},
	{"a file is deleted and made again",
		func(x tree) { x.write("d/e/f", "1") }, func(x tree) { x.remove("d/e/f"); x.write("d/e/f", "2") }, "file 2"},
	{"a file becomes a directory",
		func(x tree) { x.write("d/e/f", "1") }, func(x tree) { x.remove("d/e/f"); x.mkdir("d/e/f/g") }, "dir g"},
	{"all the way is made",
		func(x tree) {}, func(x tree) { x.write("d/e/f", "1") }, "file 1"},
	{"the way is deleted",
		func(x tree) { x.write("d/e/f", "1") }, func(x tree) { x.remove("d") }, "nothing"},
	{"the way is deleted and made again",
		func(x tree) { x.write("d/e/f", "1") }, func(x tree) { x.remove("d"); x.write("d/e/f", "2") }, "file 2"},
	{"an ancestor is renamed away",
		func(x tree) { x.write("d/e/f", "1") }, func(x tree) { x.rename("d", "away") }, "nothing"},
	{"an ancestor is renamed to be there",
		func(x tree) { x.write("away/e/f", "1") }, func(x tree) { x.rename("away", "d") }, "file 1"},
	{"an ancestor is replaced by another",
		func(x tree) { x.write("d/e/f", "1"); x.write("new/e/f", "2") },
		func(x tree) { x.rename("d", "away"); x.rename("new", "d") }, "file 2"},
	{"an entry is made in a directory",
		func(x tree) { x.mkdir("d/e/f") }, func(x tree) { x.mkdir("d/e/f/g") }, "dir g"},
	{"an entry is deleted in a directory",
		func(x tree) { x.mkdir("d/e/f/g") }, func(x tree) { x.remove("d/e/f/g") }, "dir"},
	{"a link is re-pointed",
		func(x tree) { x.write("1", "1"); x.write("2", "2"); x.mkdir("d/e"); x.link("../../1", "d/e/f") },
		func(x tree) { x.link("../../2", "d/e/new"); x.rename("d/e/new", "d/e/f") }, "file 2"},
	{"a link on the way is re-pointed",
		func(x tree) { x.write("1/e/f", "1"); x.write("2/e/f", "2"); x.link("1", "d") },
		func(x tree) { x.remove("d"); x.link("2", "d") }, "file 2"},
	{"what a link leads to is written",
		func(x tree) {
			x.write("1/2/f", "1")
			x.link(x.at("1"), "3")
			x.link("3/2", "4")
			x.mkdir("d/e")
			x.link("../../4/f", "d/e/f")
		},
		func(x tree) { x.write("1/2/f", "two") }, "file two"},
	{"what a link leads to comes to be",
		func(x tree) { x.link("1/2", "d") }, func(x tree) { x.write("1/2/e/f", "1") }, "file 1"},
	{"a parent by way of a link",
		func(x tree) {
			x.write("1/f", "1")
			x.mkdir("1/2")
			x.link("1/2", "3")
			x.mkdir("d/e")
			x.link(x.at("3")+"/../f", "d/e/f")
		},
		func(x tree) { x.write("1/f", "two") }, "file two"},
}

// Fault config-moved, and the base for faults folder-gone and odd-folder-name.
func TestChanges(t *testing.T) {
	for _, tt := range changes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, logs := realHub(t)
			tt.test(t, h)
			if logs.Len() > 0 {
				t.Errorf("it polls: %v", logs.All())
			}
		})
	}
}

// The same is true without any watch. Fault watch-limit.
func TestChangesPolled(t *testing.T) {
	for _, tt := range changes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			f.refuse(errSpace)
			h, _ := hubWith(t, f, nil)
			tt.test(t, h)
		})
	}
}

func (c change) test(t *testing.T, h *Hub) {
	const path = "d/e/f"
	x := newTree(t)
	c.before(x)
	if got := x.see(path); got == c.want {
		t.Fatalf("there is %q before the change", got)
	}
	_, told := x.watch(h, path)
	c.change(x)
	told.await(t, c.want, func() bool { return x.see(path) == c.want })

	// However it went, the path is still watched.
	if x.see(path) != "nothing" {
		x.remove("d")
		told.await(t, "removal", func() bool { return x.see(path) == "nothing" })
	}
	x.write(path, "at last")
	told.await(t, "at last", func() bool { return x.see(path) == "file at last" })
}

func TestNeverConcurrentNorAfterClose(t *testing.T) {
	x := newTree(t)
	h, _ := realHub(t)
	var running, closed atomic.Bool
	told := newCalls()
	w := h.Watch(func() {
		if running.Swap(true) {
			t.Error("it is called while it is called")
		}
		if closed.Load() {
			t.Error("it is called after Close")
		}
		told.changed()
		runtime.Gosched()
		running.Store(false)
	}, x.base)
	var storm sync.WaitGroup
	var over atomic.Bool
	storm.Go(func() {
		for !over.Load() {
			_ = os.WriteFile(x.at("f"), nil, 0o666)
			_ = os.Remove(x.at("f"))
		}
	})
	for range 3 {
		told.await(t, "the storm", always)
	}
	w.Close()
	closed.Store(true)
	w.Set(x.base) // no effect
	w.Close()
	over.Store(true)
	storm.Wait()
	x.watching(h, ".")
}

// It may be closed again, as realHub does.
func TestHubClose(t *testing.T) {
	x := newTree(t)
	h, _ := realHub(t)
	w, _ := x.watch(h, ".")
	x.must(h.Close())
	x.write("f", "")
	w.Set(x.base)
	w.Close()
	h.Watch(func() { t.Error("called after Close") }, x.base).Close()
}
