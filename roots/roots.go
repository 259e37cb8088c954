// Package roots keeps the folders of one workspace true to the disk.
//
// A [Set] is told which folders and globs a workspace consists of, and knows at
// any time which of them exist: a folder that is deleted, renamed away or
// unmounted leaves the list and comes back with the folder; a glob gains and
// loses roots as directories come and go. What it says is read from the disk
// when a watch hints that something changed, never taken from the event.
//
// Invariants:
//
//   - [Set.Roots] is free of duplicates, in the order of the entries, and each
//     root was a directory when it was last looked at.
//   - The changed function is called only when the list differs from the last one
//     that was told: found by [New], returned by [Set.Roots] or reported by a call
//     of changed. Many events are one call.
//   - Where no watch can be had the truth is at most 5 s old.
//   - The list, and the directories that are read to make it, are bounded.
package roots

import (
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/fswatch"
)

// Many events are one call. The disk is looked at quiet after the last of them, at
// the latest atMost after the first, and again until it is as it was quiet before, for atMost longer.
const (
	quiet  = 100 * time.Millisecond
	atMost = time.Second
)

// Root is one root as MCP lists it (MCP 2025-11-25, Client, Roots).
type Root struct {
	URI  string `json:"uri"`  // a canonical file: URI, without a trailing slash
	Name string `json:"name"` // for people: the base name of the folder
}

// Config says what a workspace consists of. It is copied.
type Config struct {
	// Folders are absolute paths, in the editor's order.
	Folders []string

	// Entries are paths and globs (with *, ?, [a-z], {a,b} and **), relative ones under
	// the first folder. Only directories match; ** does not go through symbolic
	// links. nil means Folders; an empty slice that is not nil means no roots.
	Entries []string
}

// A Set is the roots of one workspace as one server is told them. It is made by
// [New]; its methods are safe for concurrent use.
type Set struct {
	changed  func()
	log      *zap.Logger
	watch    *fswatch.Watch
	debounce *debounce.Debouncer // runs check
	atMost   time.Duration       // for which a list that keeps changing is not told

	mu        sync.Mutex // guards the fields that follow; held while the disk is read, never while changed runs
	entries   []entry
	told      []Root
	unsettled []Root    // what the last look found, if it is not told yet; else nil
	since     time.Time // when the first of the looks that found something new was made
	watching  []string  // what watch was last set to
	cut       bool      // it was logged that there is more than the limits allow
}

// New looks at the disk and begins to watch it with hub. changed is called when
// [Set.Roots] would return something new. It is never called concurrently with
// itself nor with a lock held; it may call Roots.
func New(c Config, hub *fswatch.Hub, changed func(), log *zap.Logger) *Set {
	return newSet(c, hub, changed, log, quiet, atMost)
}

func newSet(c Config, hub *fswatch.Hub, changed func(), log *zap.Logger, quiet, atMost time.Duration) *Set {
	s := &Set{changed: changed, log: log, atMost: atMost, entries: parse(c, log)}
	s.debounce = debounce.New(quiet, atMost, s.check)
	s.watch = hub.Watch(s.debounce.Trigger)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = s.look()
	return s
}

// Roots returns the roots as the disk has them now, and takes them as told: they
// are for the answer to roots/list. The slice is the caller's; it is not nil, so that no
// roots are an empty list in JSON.
func (s *Set) Roots() []Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = s.look()
	return append([]Root{}, s.told...)
}

// Current returns the roots as the disk has them now, for somebody else than the
// server: nothing counts as told by it.
func (s *Set) Current() []Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Root{}, s.look()...)
}

// Update replaces the configuration. changed is called, a little later, if the
// list differs by it.
func (s *Set) Update(c Config) {
	entries := parse(c, s.log)
	s.mu.Lock()
	s.entries = entries
	s.mu.Unlock()
	s.debounce.Trigger()
}

// Close ends the watch. changed has returned and is not called again, so Close
// must not be called by changed, nor while a lock is held that changed takes.
func (s *Set) Close() {
	s.watch.Close()
	s.debounce.Stop()
}

// check reports the list if it differs from what was told, once two looks in a row
// agree: on a busy machine the events of one burst come in several parts.
func (s *Set) check() {
	s.mu.Lock()
	list := s.look()
	if slices.Equal(list, s.told) {
		s.unsettled = nil
		s.mu.Unlock()
		return
	}
	if s.unsettled == nil {
		s.since = time.Now()
	}
	if (s.unsettled == nil || !slices.Equal(list, s.unsettled)) && time.Since(s.since) < s.atMost {
		s.unsettled = append([]Root{}, list...) // not nil, even when there are none
		s.mu.Unlock()
		s.debounce.Trigger()
		return
	}
	s.told, s.unsettled = list, nil
	s.mu.Unlock()
	s.changed()
}

// look reads the list from the disk, and watches what it was read from. Called with mu held.
func (s *Set) look() []Root {
	found := scan(s.entries)
	if found.cut && !s.cut {
		s.cut = true
		s.log.Warn("the roots are cut: make the globs of the roots narrower",
			zap.Int("maxRoots", maxRoots), zap.Int("maxDirectories", maxRead))
	}
	if !slices.Equal(found.watch, s.watching) {
		s.watching = found.watch
		s.watch.Set(found.watch...)
		s.debounce.Trigger() // for what happened after it was read and before it was watched
	}
	return found.roots
}
