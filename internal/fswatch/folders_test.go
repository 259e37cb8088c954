package fswatch

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// folders returns a Folders on f in which the folders at paths are.
func foldersOn(t *testing.T, h *Hub, paths ...string) (*Folders, calls) {
	t.Helper()
	told := newCalls()
	fs := h.Folders(told.changed)
	t.Cleanup(fs.Close)
	for _, path := range paths {
		if why := fs.Add(path); why != "" {
			t.Fatalf("%s is polled: %s", path, why)
		}
	}
	return fs, told
}

// Fault watch-limit: a folder that cannot be watched says why, and is watched when there is room.
func TestFoldersWithoutWatches(t *testing.T) {
	x := newTree(t)
	x.mkdir("a")
	x.mkdir("b")
	f := newFake()
	room := 1
	h, _ := hubWith(t, f, func(env *environment) {
		env.maxFolders = func() int { return room }
		env.pollEvery = 0
	})
	fs, _ := foldersOn(t, h, x.at("a"))
	if why := fs.Add(x.at("b")); !strings.Contains(why, "watches for 1 folders") || f.watches(x.at("b")) != 0 {
		t.Errorf("over the limit it says %q", why)
	}
	room = 2
	f.refuse(errSpace)
	if why := fs.Add(x.at("b")); !strings.Contains(why, "raise the limit") {
		t.Errorf("when the system refuses it says %q", why)
	}
	f.refuse(nil)
	if why := fs.Add(x.at("b")); why != "" || f.watches(x.at("b")) != 1 {
		t.Errorf("when there is room it says %q", why)
	}
	if why := fs.Add(x.at("c")); why == "" {
		t.Error("a folder that is not there is watched")
	}
}

// A Folders and a Watch share the watch of a directory.
func TestFoldersShareDirectories(t *testing.T) {
	x := newTree(t)
	x.mkdir("d/e")
	f := newFake()
	h, _ := hubWith(t, f, nil)
	fs, _ := foldersOn(t, h, x.at("d"), x.at("d/e"))
	w, _ := x.watching(h, "d")
	if f.watches(x.at("d")) != 1 {
		t.Errorf("it is watched %d times", f.watches(x.at("d")))
	}
	fs.Remove(x.at("d"))
	fs.Remove(x.at("d/e"))
	if f.watches(x.at("d")) != 1 || f.watches(x.at("d/e")) != 0 {
		t.Errorf("watched are %v", f.added)
	}
	if why := fs.Add(x.at("d")); why != "" {
		t.Error(why)
	}
	w.Close()
	await.Until(t, "the Watch has ended", func() bool { return f.watches(x.base) == 0 })
	if f.watches(x.at("d")) != 1 {
		t.Error("the watch ended while it was needed")
	}
	fs.Close()
	await.Until(t, "nothing is left", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.dirs)+len(h.held)+len(h.listeners) == 0
	})
	if why := fs.Add(x.at("d")); why == "" || f.watches(x.at("d")) != 0 {
		t.Error("it watches after Close")
	}
}

// A renamed folder keeps its watches, under other names.
func TestFoldersFollowRenames(t *testing.T) {
	x := newTree(t)
	x.mkdir("a/b")
	h, _ := realHub(t)
	fs, told := foldersOn(t, h, x.base, x.at("a"), x.at("a/b"))
	x.rename("a", "c")
	told.await(t, "that it is gone", func() bool { return fs.Take().Folders[x.at("a")] })
	for _, path := range []string{"c", "c/b"} {
		if why := fs.Add(x.at(path)); why != "" {
			t.Error(why)
		}
	}
	fs.Remove(x.at("a"))
	fs.Remove(x.at("a/b"))
	x.mkdir("c/b/new")
	hinted := false
	told.await(t, "what is made under the new name", func() bool {
		_, now := fs.Take().Folders[x.at("c/b")]
		hinted = hinted || now
		return hinted
	})
}

// A link that leads from its old name to its new one does not keep the watch of a folder.
func TestFoldersBehindALinkToTheirNewName(t *testing.T) {
	x := newTree(t)
	x.mkdir("a/b")
	h, _ := realHub(t)
	fs, _ := foldersOn(t, h, x.at("a/b"))
	x.rename("a", "c")
	x.link("c", "a")
	if why := fs.Add(x.at("c/b")); why != "" {
		t.Error("it is polled:", why)
	}
}

// The storm of events at the end of many watches is not lost, nor does it lose others.
func TestManyFoldersEnd(t *testing.T) {
	x := newTree(t)
	var paths []string
	for i := range 1000 {
		paths = append(paths, x.at(fmt.Sprintf("%04d", i)))
		x.must(os.Mkdir(paths[i], 0o777))
	}
	h, _ := realHub(t)
	fs, told := foldersOn(t, h, append(paths, x.base)...)
	fs.Take()
	for _, path := range paths {
		fs.Remove(path)
	}
	x.mkdir("last")
	hints := Hints{}
	told.await(t, "the last one", func() bool { hints = fs.Take(); return len(hints.Folders) > 0 || hints.All })
	if _, ok := hints.Folders[x.base]; !ok || hints.All || len(hints.Folders) != 1 {
		t.Errorf("the hints are %+v", hints)
	}
}
