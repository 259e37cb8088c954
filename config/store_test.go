package config

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// server is a file with one server, of this command.
func server(command string) string { return `{"servers": {"a": {"command": "` + command + `"}}}` }

// command returns the command of the first server in the first file.
func command(files []*File) string {
	if len(files) == 0 || len(files[0].Servers) == 0 {
		return ""
	}
	return files[0].Servers[0].Command
}

// hints stands in for the watcher: the test says when something may have changed.
type hints struct {
	mu      sync.Mutex
	watches map[*hint]func() // by watch: what to call
}

type hint struct {
	all   *hints
	paths []string
}

func (h *hints) watch(changed func(), paths ...string) watch {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watches == nil {
		h.watches = map[*hint]func(){}
	}
	one := &hint{h, paths}
	h.watches[one] = changed
	return one
}

func (h *hint) Close() {
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	delete(h.all.watches, h)
}

// give gives a hint to every watch.
func (h *hints) give() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, changed := range h.watches {
		changed()
	}
}

// watched returns all paths, sorted.
func (h *hints) watched() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for one := range h.watches {
		all = append(all, one.paths...)
	}
	slices.Sort(all)
	return all
}

// hinted returns a Store whose watcher is in the hand of the test. calls has one for each call of its subscriber;
// with room for so many, the subscriber need not wait for the test.
func hinted(userFile string, room int) (s *Store, h *hints, calls chan struct{}) {
	h, calls = &hints{}, make(chan struct{}, room)
	s = newStore(userFile, h.watch, readRegular, zap.NewNop())
	s.Subscribe(func() { calls <- struct{}{} })
	return s, h, calls
}

// Faults config-broken and config-moved: what a burst of changes leads to.
func TestStoreReloads(t *testing.T) {
	const first = `{"servers": {"a": {"command": "first"}}}`
	for _, test := range []struct {
		name    string
		steps   []string // contents one after the other; "-" removes the file
		calls   int
		command string
		broken  bool
	}{
		{"one change", []string{server("second")}, 1, "second", false},
		{"a burst is one call", []string{server("x"), server("y"), server("second")}, 1, "second", false},
		{"half-written on the way", []string{"", `{"serv`, server("second")}, 1, "second", false},
		{"deleted and made again", []string{"-", server("second")}, 1, "second", false},
		{"there and back", []string{server("x"), first}, 0, "first", false},
		{"the same bytes", []string{first}, 0, "first", false},
		{"only hints", nil, 0, "first", false},
		{"deleted", []string{"-"}, 1, "", false},
		{"half-written", []string{`{"servers": {"a": {"comm`}, 1, "first", true},
		{"empty", []string{""}, 1, "first", true},
		{"no servers any more", []string{`{}`}, 1, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "mcp.json")
				write(t, path, first)
				s, h, calls := hinted(path, 10)
				defer s.Close()
				for _, step := range test.steps {
					if step == "-" {
						if err := os.Remove(path); err != nil {
							t.Fatal(err)
						}
					} else {
						write(t, path, step)
					}
					h.give()
				}
				h.give()

				for range test.calls {
					<-calls
				}
				select { // the bubble's clock advances only when nothing else runs
				case <-calls:
					t.Error("one call too many")
				case <-time.After(time.Hour):
				}
				user := s.User()
				if got := command([]*File{user}); got != test.command {
					t.Errorf("got %q", got)
				}
				if user.Broken != test.broken || test.broken != (len(user.Problems) == 1) {
					t.Errorf("broken %v, problems %+v", user.Broken, user.Problems)
				}
			})
		})
	}
}

// Who has just written the user's file gets it read without a hint of the watcher, and subscribers hear of it.
func TestStoreReadsTheUsersFileWhenAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "mcp.json")
		s, _, calls := hinted(path, 0)
		defer s.Close()
		write(t, path, server("new"))
		<-s.ReadUser()
		if got := command([]*File{s.User()}); got != "new" {
			t.Errorf("got %q", got)
		}
		<-calls
	})
}

// Fault config-broken: mending a file is a change, and until then everything in it is kept.
func TestStoreKeepsLastGoodState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "mcp.json")
		const good = `{"defaults": {"scope": "session"}, "credentials": "memory", "inputs": [{"id": "i"}], "servers": {"a": {"command": "c"}}}`
		write(t, path, good)
		s, h, calls := hinted(path, 0)
		defer s.Close()
		before := Merge("/x", s.User(), nil, nil)

		for range 2 { // broken in two ways, one after the other
			write(t, path, "{"+s.User().Source.URI)
			h.give()
			<-calls
			broken := Merge("/x", s.User(), nil, nil)
			if len(broken.Problems) != 1 || broken.Servers[0].Digest != before.Servers[0].Digest || len(broken.Inputs) != 1 || s.User().Credentials != secrets.Memory {
				t.Fatalf("got %+v", broken)
			}
			write(t, path, "[]")
			h.give()
			<-calls
		}
		write(t, path, good)
		h.give()
		<-calls
		if after := Merge("/x", s.User(), nil, nil); len(after.Problems) > 0 || after.Servers[0].Digest != before.Servers[0].Digest {
			t.Errorf("got %+v", after)
		}
	})
}

func TestStoreWorkspaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		write(t, filepath.Join(folder, ".cursor", "mcp.json"), server("cursor"))
		write(t, filepath.Join(folder, ".mcp.json"), server("root"))
		write(t, filepath.Join(folder, ".vscode"), "a file where a folder is expected")
		userFile := filepath.Join(t.TempDir(), "mcp.json")
		s, h, calls := hinted(userFile, 10)
		if user := s.User(); user.Broken || user.Source != (Source{URI: fileuri.FromPath(userFile), Trusted: true}) {
			t.Errorf("without a file the user has %+v", user)
		}

		first, second := s.Open(folder), s.Open(folder+"/")
		for _, w := range []*Workspace{first, second} {
			<-w.Read()
			files := w.Files()
			if len(files) != 2 || command(files[:1]) != "root" || command(files[1:]) != "cursor" {
				t.Fatalf("got %+v", files)
			}
			if src := files[0].Source; src.URI != fileuri.FromPath(filepath.Join(folder, ".mcp.json")) || src.Folder != folder || src.Trusted {
				t.Errorf("source %+v", src)
			}
		}
		of := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
		watched := []string{of(".cursor/mcp.json"), of(".mcp.json"), of(".vscode/mcp.json"), userFile}
		slices.Sort(watched)
		if got := h.watched(); !slices.Equal(got, watched) {
			t.Errorf("watched %v", got)
		}

		first.Close()
		write(t, of(".mcp.json"), server("changed"))
		h.give()
		<-calls
		if got := command(second.Files()); got != "changed" {
			t.Errorf("got %q after one of two was closed", got)
		}
		second.Close()
		synctest.Wait()
		if got := h.watched(); !slices.Equal(got, []string{userFile}) {
			t.Errorf("watched %v after both were closed", got)
		}
		write(t, of(".mcp.json"), server("again"))
		third := s.Open(folder)
		<-third.Read()
		if got := command(third.Files()); got != "again" {
			t.Errorf("got %q after opening again", got)
		}
		s.Close()
		if got := h.watched(); len(got) > 0 {
			t.Errorf("watched %v after Close", got)
		}
		third.Close()
	})
}

// Fault config-moved, with the real watcher: pointing a link elsewhere makes another definition of the
// same bytes, and the Store sees a change behind the link.
func TestStoreFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "w", ".mcp.json")
	write(t, filepath.Join(dir, "w", "README"), "")
	for _, name := range []string{"one", "two"} {
		write(t, filepath.Join(dir, name, "mcp.json"), server("same"))
	}
	repoint := func(name string) {
		t.Helper()
		tmp := filepath.Join(dir, "w", "tmp")
		if err := os.Symlink(filepath.Join(dir, name, "mcp.json"), tmp); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(tmp, link); err != nil {
			t.Fatal(err)
		}
	}
	repoint("one")
	hub := fswatch.New(zap.NewNop())
	s := NewStore(filepath.Join(t.TempDir(), "mcp.json"), hub, zap.NewNop())
	t.Cleanup(func() {
		s.Close()
		if err := hub.Close(); err != nil {
			t.Error(err)
		}
	})
	w := s.Open(filepath.Dir(link))
	<-w.Read()
	digest := func() string { return w.Files()[0].Servers[0].Digest }
	first := digest()

	repoint("two")
	await.Until(t, "another definition", func() bool { return digest() != first })
	src := w.Files()[0].Source
	if src.URI != fileuri.FromPath(link) || src.Resolved != fileuri.Canonical(filepath.Join(dir, "two", "mcp.json")) {
		t.Errorf("source %+v", src)
	}

	write(t, filepath.Join(dir, "two", "mcp.json"), server("behind"))
	await.Until(t, "the change behind the link", func() bool { return command(w.Files()) == "behind" })

	repoint("one")
	await.Until(t, "the first definition", func() bool { return digest() == first })
}
