package roots

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// following is a reader whose hints a test follows by itself.
type following struct {
	*reader
	x    tree
	read map[string]int // how often each folder was read
}

func (x tree) follow(entries ...string) *following {
	x.t.Helper()
	f := &following{x: x, read: map[string]int{}}
	f.reader = x.reader(Config{Folders: []string{x.base}, Entries: entries})
	f.list = func(path string) ([]fs.DirEntry, error) {
		rel, err := filepath.Rel(x.base, path)
		x.must(err)
		f.read[filepath.ToSlash(rel)]++
		return list(path)
	}
	f.scan(false)
	return f
}

// await scans until the roots are want.
func (f *following) await(want ...string) {
	f.x.t.Helper()
	f.awaits(fmt.Sprintf("the roots %q", want), func() bool { return slices.Equal(f.x.names(f.last.roots), want) })
}

// awaits scans until there is what. A scan reads only what the system has hinted at.
func (f *following) awaits(what string, there func() bool) {
	f.x.t.Helper()
	await.Until(f.x.t, what, func() bool {
		f.scan(false)
		return there()
	})
}

// Only what the system hints at is read again, and what is new.
func TestReadsOnlyWhatChanged(t *testing.T) {
	x := newTree(t, "a/b/c", "a/d/e/src", "f/g/h", "i")
	f := x.follow("**/src")
	f.await("a/d/e/src")
	for path, n := range f.read {
		if n != 1 {
			t.Errorf("%s was read %d times at first", path, n)
		}
	}
	if len(f.read) != 11 { // with the tree itself
		t.Errorf("%d folders were read", len(f.read))
	}
	clear(f.read)
	x.mkdir("f/g/new/deep/src")
	f.await("a/d/e/src", "f/g/new/deep/src")
	for path := range f.read {
		if path != "f/g" && !strings.HasPrefix(path, "f/g/new") {
			t.Errorf("%s was read again", path)
		}
	}
	clear(f.read)
	x.must(os.WriteFile(x.at("a/d/file"), nil, 0o666))
	x.remove("f/g")
	f.awaits("that f/g goes, and what was in it", func() bool { return len(f.dirs) == 9 })
	f.await("a/d/e/src")
	for path := range f.read {
		if path != "f" && path != "a/d" && !strings.HasPrefix(path, "f/g") {
			t.Errorf("%s was read again", path)
		}
	}
}

// lossy is a watcher that has lost events.
type lossy struct{ watcher }

func (lossy) Take() fswatch.Hints { return fswatch.Hints{All: true} }

// Fault watch-limit: after lost events everything is read again.
func TestReadsAllAfterLostEvents(t *testing.T) {
	x := newTree(t, "a/b", "c/d/src")
	f := x.follow("**/src")
	before := len(f.read)
	clear(f.read)
	f.scan(false)
	if len(f.read) != 0 {
		t.Errorf("%v were read for nothing", f.read)
	}
	f.folders = lossy{f.folders}
	f.scan(false)
	for path, n := range f.read {
		if n != 1 {
			t.Errorf("%s was read %d times", path, n)
		}
	}
	if len(f.read) != before {
		t.Errorf("%d folders were read again, want %d", len(f.read), before)
	}
}

// blind is a watcher without watches.
type blind struct{ watcher }

func (blind) Add(string) string   { return "the system gives no more file watches; raise the limit" }
func (blind) Take() fswatch.Hints { return fswatch.Hints{} }

// Fault watch-limit: without watches the list follows the disk late, and a problem says so.
func TestRootsWithoutWatches(t *testing.T) {
	x := newTree(t, "a/src", "b")
	scan := func(r *reader, poll bool) found {
		if _, done := r.folders.(blind); !done {
			r.folders = blind{r.folders}
		}
		return r.scan(poll)
	}
	w := x.set(Config{Folders: []string{x.base}, Entries: []string{"**/src"}},
		pace{quiet: time.Millisecond, atMost: time.Second, patience: time.Minute, poll: 10 * time.Millisecond}, scan)
	w.awaitCurrent("a/src")
	w.awaits("a problem", func() bool { return len(w.Problems()) == 1 })
	if got := w.Problems()[0]; !strings.Contains(got, "roots change late") || !strings.Contains(got, "raise the limit") {
		t.Errorf("the problem is %q", got)
	}
	x.mkdir("b/c/src")
	w.awaitCurrent("a/src", "b/c/src")
}

// Whatever happens to a tree, in the end the reader has found what a new one finds.
func TestFollowsLikeANewReader(t *testing.T) {
	globs := []string{"**/c", "a/**", "*/b/*", "{a,b}/**/[ab]", "a/*/c/**/b"}
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { // each with a watcher of its own, of which a system has few
			r := rand.New(rand.NewPCG(seed, 2))
			x := newTree(t)
			path := func() string {
				p := ""
				for range 1 + r.IntN(4) {
					p = filepath.Join(p, string("abc"[r.IntN(3)]))
				}
				return p
			}
			for range 20 {
				x.mkdir(path())
			}
			f := x.follow(globs...)
			for step := range 60 {
				at := x.at(path())
				switch r.IntN(7) { // most may fail, depending on what is there
				case 0, 1, 2:
					_ = os.MkdirAll(at, 0o777)
				case 3:
					_ = os.RemoveAll(at)
				case 4, 5:
					_ = os.Rename(at, x.at(path()))
				case 6:
					_ = os.Symlink(x.at(path()), at)
				}
				if step%7 == 0 {
					f.scan(false)
				}
			}
			f.moved.Store(true) // what a Watch of the ways would say
			want := x.names(x.scan(Config{Folders: []string{x.base}, Entries: globs}).roots)
			// The system may still have to say that a folder has moved, and what it says is read at the next hint.
			f.awaits(fmt.Sprintf("the roots %q, all watched", want), func() bool {
				return slices.Equal(x.names(f.last.roots), want) && f.last.polled == 0 && len(f.last.problems) == 0
			})
		})
	}
}

func TestLimits(t *testing.T) {
	t.Run("folders", func(t *testing.T) {
		x := newTree(t, "a/b", "c/d", "e/src")
		f := x.follow("**/src")
		f.await("e/src")
		f.most = 5
		x.mkdir("a/b/x") // takes the room of e
		f.await()
		want := `roots are left out: "**/src" goes through more than 5 folders, and does not get to the rest; make the glob narrower`
		if got := f.last.problems; !slices.Equal(got, []string{want}) {
			t.Errorf("the problems are\n%q, want\n%q", got, want)
		}
		x.mkdir("a/b/y") // the problem does not change with each folder
		f.await()
		f.awaits("y", func() bool { return len(f.dirs[x.at("a/b")].subs) == 2 })
		if got := f.last.problems; !slices.Equal(got, []string{want}) {
			t.Errorf("the problems are\n%q, want still\n%q", got, want)
		}
		if len(f.dirs) != 5 {
			t.Errorf("%d folders are remembered", len(f.dirs))
		}
		x.remove("a")
		f.await("e/src")
		// a without b leaves room for e, and none for what is in it.
		f.awaits("no problem", func() bool { return len(f.last.problems) == 0 })
	})
	t.Run("entries", func(t *testing.T) {
		x := newTree(t, "a")
		for i := range maxEntries {
			x.must(os.WriteFile(x.at(fmt.Sprintf("a/%05d", i)), nil, 0o666))
		}
		got := x.scan(Config{Folders: []string{x.base}, Entries: []string{"*/src"}})
		if len(got.problems) != 1 || !strings.Contains(got.problems[0], "10,000 entries") {
			t.Errorf("the problems are %q", got.problems)
		}
	})
}

// Wildcards pass over what version control and tools keep for themselves; a name leads there.
func TestGlobsPassOverSomeFolders(t *testing.T) {
	x := newTree(t, "repo/.git/modules/m/src", "repo/.hg/src", "repo/app/src", "repo/app/node_modules/lib/node_modules/deep",
		"repo/app/node_modules/lib/src", "repo/app/target/src", "repo/app/build/src", "repo/dist/out", "repo/node_modules/top/src")
	x.must(os.WriteFile(x.at("repo/.gitignore"), []byte("build\n"), 0o666))
	x.link("../.hg", "repo/app/linked")
	x.link("src", "repo/app/venv")
	repo := []string{x.at("repo")}
	x.testScans(t, []scanTest{
		{"any depth", repo, []string{"**/src"}, []string{"repo/app/src", "repo/app/build/src"}},
		{"a wildcard", repo, []string{"*/src"}, []string{"repo/app/src"}},
		{"at the end", repo, []string{"*"}, []string{"repo/app"}},
		{"links, by their own names", repo, []string{"app/*"}, []string{"repo/app/build", "repo/.hg", "repo/app/src"}},
		{"a name at the beginning", repo, []string{"node_modules/*"}, []string{"repo/node_modules/top"}},
		{"a name in the middle", repo, []string{"*/node_modules/*"}, []string{"repo/app/node_modules/lib"}},
		{"a name at the end", repo, []string{"**/node_modules", "**/dist"}, []string{"repo/node_modules", "repo/app/node_modules", "repo/dist"}},
		{"a pattern is no name", repo, []string{"*/node_module[s]/*", "*/node_modules?"}, nil},
		{"another one below", repo, []string{"app/node_modules/**/deep", "app/node_modules/**/src"}, []string{"repo/app/node_modules/lib/src"}},
		{"what version control keeps", repo, []string{".git/modules/*", ".hg/*"}, []string{"repo/.git/modules/m", "repo/.hg/src"}},
		{"braces are names", repo, []string{"{.git,app}/*/*/src"}, []string{"repo/.git/modules/m/src"}},
		{"the folder itself", []string{x.at("repo/app/target")}, []string{"**/src"}, []string{"repo/app/target/src"}},
		{"a path", repo, []string{"app/node_modules"}, []string{"repo/app/node_modules"}},
	})
}

// A folder that nobody may read is no problem: there is nothing to go through.
func TestFolderThatCannotBeRead(t *testing.T) {
	x := newTree(t, "a/src", "closed/src", "closed/b/src")
	f := x.follow("**/src")
	f.await("a/src", "closed/src", "closed/b/src")
	f.list = func(path string) ([]fs.DirEntry, error) {
		if path == x.at("closed") {
			return nil, fs.ErrPermission
		}
		return list(path)
	}
	x.mkdir("closed/new") // there is a hint, whoever runs the test
	f.await("a/src")
	if len(f.last.problems) > 0 || f.last.polled > 0 {
		t.Errorf("the problems are %q", f.last.problems)
	}
}
