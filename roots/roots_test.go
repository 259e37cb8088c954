package roots

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

const deadline = 2 * time.Minute // for every wait

// watched is a Set under test, and the calls of its functions.
type watched struct {
	*Set
	x     tree
	calls chan struct{} // of both
	count atomic.Int64  // of changed
	log   *observer.ObservedLogs
}

// set returns a Set with scan in place of the reader's own.
func (x tree) set(c Config, pace pace, scan func(*reader, bool) found) *watched {
	x.t.Helper()
	core, logs := observer.New(zap.WarnLevel)
	hub := fswatch.New(zap.NewNop())
	w := &watched{x: x, calls: make(chan struct{}, 1), log: logs}
	called := func() {
		select {
		case w.calls <- struct{}{}:
		default:
		}
	}
	changed := func() {
		w.count.Add(1)
		called()
	}
	w.Set = newSet(c, hub, changed, called, zap.New(core), pace, scan)
	x.t.Cleanup(func() {
		w.Close()
		x.must(hub.Close())
	})
	return w
}

// watch returns a Set that tells every change from now on.
func (x tree) watch(quiet time.Duration, c Config) *watched {
	x.t.Helper()
	w := x.set(c, pace{quiet: quiet, atMost: 10 * quiet, patience: deadline, poll: defaults.poll}, (*reader).scan)
	w.Roots()
	return w
}

// awaits waits until a call has come after which there is what.
func (w *watched) awaits(what string, there func() bool) {
	w.x.t.Helper()
	for late := time.After(deadline); !there(); {
		select {
		case <-w.calls:
		case <-late:
			w.x.t.Fatalf("never %s; the roots are %q, and the problems %q", what, w.x.names(w.Current()), w.Problems())
		}
	}
}

// await waits until exactly these roots were told. It looks at the list told last, because Roots would
// count as telling.
func (w *watched) await(want ...string) {
	w.x.t.Helper()
	w.awaits(fmt.Sprintf("told of %q", want), func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.Equal(w.x.names(w.told), want)
	})
}

// awaitCurrent waits until these are the roots.
func (w *watched) awaitCurrent(want ...string) {
	w.x.t.Helper()
	w.awaits(fmt.Sprintf("%q", want), func() bool { return slices.Equal(w.x.names(w.Current()), want) })
}

// notice reads until these are the roots, without asking for them.
func (w *watched) notice(want ...string) {
	w.x.t.Helper()
	await.Until(w.x.t, fmt.Sprintf("the Set reads %q", want), func() bool {
		w.look()
		w.mu.Lock()
		defer w.mu.Unlock()
		list, _ := w.merged()
		return slices.Equal(w.x.names(list), want)
	})
}

func (w *watched) expect(want ...string) {
	w.x.t.Helper()
	if got := w.x.names(w.Roots()); !slices.Equal(got, want) {
		w.x.t.Fatalf("the roots are %q, want %q", got, want)
	}
}

// Fault folder-gone.
func TestFolderComesAndGoes(t *testing.T) {
	for _, tt := range []struct {
		name       string
		away, back func(x tree)
	}{
		{"deleted", func(x tree) { x.remove("p/ws") }, func(x tree) { x.mkdir("p/ws") }},
		{"renamed away", func(x tree) { x.rename("p/ws", "p/ws2") }, func(x tree) { x.rename("p/ws2", "p/ws") }},
		{"its parent deleted", func(x tree) { x.remove("p") }, func(x tree) { x.mkdir("p/ws") }},
		{"its parent renamed away", func(x tree) { x.rename("p", "p2") }, func(x tree) { x.rename("p2", "p") }},
		{"made a file", func(x tree) { x.remove("p/ws"); x.must(os.WriteFile(x.at("p/ws"), nil, 0o666)) },
			func(x tree) { x.remove("p/ws"); x.mkdir("p/ws") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := newTree(t, "p/ws", "other")
			w := x.watch(20*time.Millisecond, Config{Folders: []string{x.at("p/ws"), x.at("other")}})
			w.expect("p/ws", "other")
			for range 2 {
				tt.away(x)
				w.await("other")
				tt.back(x)
				w.await("p/ws", "other")
			}
		})
	}
}

// Faults config-moved and odd-folder-name.
func TestLinkIsRepointed(t *testing.T) {
	x := newTree(t, "1", "2")
	x.link("1", "ws")
	w := x.watch(20*time.Millisecond, Config{Folders: []string{x.at("ws"), x.at("2")}})
	w.expect("1", "2")
	x.link("2", "new")
	x.rename("new", "ws")
	w.await("2")
	x.rename("2", "3")
	w.await()
	x.mkdir("2")
	w.await("2")
}

func TestGlobComesAndGoes(t *testing.T) {
	x := newTree(t, "ws/packages/a", "elsewhere/c")
	w := x.watch(20*time.Millisecond, Config{Folders: []string{x.at("ws")}, Entries: []string{"packages/*", "**/src", "libs/*"}})
	w.expect("ws/packages/a")
	x.mkdir("ws/packages/b")
	w.await("ws/packages/a", "ws/packages/b")
	x.mkdir("ws/packages/b/x/y/src")
	w.await("ws/packages/a", "ws/packages/b", "ws/packages/b/x/y/src")
	x.rename("ws/packages/b/x", "ws/packages/b/z")
	w.await("ws/packages/a", "ws/packages/b", "ws/packages/b/z/y/src")
	x.remove("ws/packages")
	w.await()
	x.mkdir("ws/libs/l")
	w.await("ws/libs/l")
	x.link("../../elsewhere/c", "ws/libs/m")
	w.await("ws/libs/l", "elsewhere/c")
	x.remove("elsewhere")
	w.await("ws/libs/l")
	x.mkdir("elsewhere/c")
	w.await("ws/libs/l", "elsewhere/c")
}

// There is no call for a list that was told already: by Roots, or because nothing has changed.
func TestNoCall(t *testing.T) {
	x := newTree(t, "ws/packages/a")
	w := x.watch(time.Hour, Config{Folders: []string{x.at("ws")}, Entries: []string{"packages/*"}})
	for _, tt := range []struct {
		name   string
		change func()
		want   int64
	}{
		{"nothing", func() {}, 0},
		{"there and back", func() { x.rename("ws/packages/a", "b"); x.rename("b", "ws/packages/a") }, 0},
		{"a file", func() { x.must(os.WriteFile(x.at("ws/packages/f"), nil, 0o666)) }, 0},
		{"read by Roots", func() {
			x.mkdir("ws/packages/b")
			w.notice("ws/packages/a", "ws/packages/b")
			w.expect("ws/packages/a", "ws/packages/b")
		}, 0},
		{"seen by Current", func() {
			x.mkdir("ws/packages/c")
			w.notice("ws/packages/a", "ws/packages/b", "ws/packages/c")
			w.Current()
		}, 1},
		{"gone again", func() {
			x.remove("ws/packages/c")
			w.notice("ws/packages/a", "ws/packages/b")
		}, 1},
		{"the same again by another name", func() {
			w.Update(Config{Folders: []string{x.at("ws/packages/a") + "/", x.at("ws/packages/b")}})
		}, 0},
		{"another order", func() {
			w.Update(Config{Folders: []string{x.at("ws/packages/b"), x.at("ws/packages/a")}})
		}, 1},
		{"what the caller does to the list", func() {
			w.Roots()[0].Name = "changed"
			w.expect("ws/packages/b", "ws/packages/a")
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := w.count.Load()
			tt.change()
			w.check() // what the debouncer would do in an hour
			w.check() // and in another
			if got := w.count.Load() - before; got != tt.want {
				t.Errorf("%d calls, want %d", got, tt.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	x := newTree(t, "1", "2")
	w := x.watch(20*time.Millisecond, Config{Folders: []string{x.at("1")}})
	w.Update(Config{Folders: []string{x.at("1"), x.at("2"), x.at("3")}})
	w.await("1", "2")
	x.mkdir("3") // watched from now on
	w.await("1", "2", "3")
	w.Update(Config{Folders: []string{x.at("1")}, Entries: []string{}})
	w.await()
	if roots := w.Roots(); roots == nil {
		t.Error("no roots would be null in JSON")
	}
}

// A problem is told and logged when it arises, and told when it is over.
func TestProblemsComeAndGo(t *testing.T) {
	x := newTree(t)
	for i := range maxRoots + 1 {
		x.must(os.Mkdir(x.at(fmt.Sprintf("%04d", i)), 0o777))
	}
	w := x.watch(time.Millisecond, Config{Folders: []string{x.base}, Entries: []string{"*"}})
	w.awaits("a problem", func() bool { return len(w.Problems()) == 1 })
	if n := len(w.Roots()); n != maxRoots {
		t.Errorf("%d roots", n)
	}
	for _, want := range []string{"roots are left out", "1,000", x.at("1000"), "make the globs narrower"} {
		if got := w.Problems()[0]; !strings.Contains(got, want) {
			t.Errorf("the problem is %q, want %q in it", got, want)
		}
	}
	x.remove("0000")
	w.awaits("no problem", func() bool { return len(w.Problems()) == 0 })
	if n := len(w.Roots()); n != maxRoots {
		t.Errorf("%d roots when one is gone", n)
	}
	if all := w.log.All(); len(all) != 1 || !strings.Contains(all[0].Message, "left out") {
		t.Errorf("the log says %v", all)
	}
}
