// Package roots keeps the folders of one workspace true to the disk.
//
// A [Set] gets the folders and globs of a workspace, and knows at
// any time which of them exist: a folder that is deleted, renamed away or
// unmounted leaves the list and comes back with the folder; a glob gains and
// loses roots as directories come and go. The Set reads the disk where and
// when a watch hints that something changed; it never believes the event.
//
// Invariants:
//
//   - [Set.Roots] is free of duplicates, in the order of the entries, and each
//     root was a directory at the last look.
//   - The Set calls changed only when the list differs from the last one that it told: one
//     that [Set.Roots] returned or a call of changed reported. Many events make one call.
//   - A folder whose disk does not answer stays as it was last found, at first absent. It holds up
//     no other folder.
//   - A directory is read once, and again only when the system hints at it. After lost events
//     all of them are read again.
//   - Where no watch works, the list is at most 5 s old, or ten times as long as reading it takes.
//   - The list, and the directories read to make it, are bounded. [Set.Problems] says what is left out.
package roots

import (
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/fswatch"
)

// pace is shorter in tests.
type pace struct {
	// Many events make one call, quiet after the last of them, at the latest atMost after the first.
	quiet, atMost time.Duration

	patience time.Duration // how long a caller waits for a disk that does not answer
	poll     time.Duration // until folders without a watch are read again, if that does not take long
}

var defaults = pace{quiet: 100 * time.Millisecond, atMost: time.Second, patience: 2 * time.Second, poll: 2 * time.Second}

// Root is one root as MCP lists it (MCP 2025-11-25, Client, Roots).
type Root struct {
	URI  string `json:"uri"`  // a canonical file: URI, without a trailing slash
	Name string `json:"name"` // to show: the base name of the folder
}

// Config says what a workspace consists of. A [Set] copies it.
type Config struct {
	// Folders are absolute paths, in the editor's order.
	Folders []string

	// Entries are paths and globs (with *, ?, [a-z], {a,b} and **), relative ones under
	// the first folder. Only directories match; ** does not go through symbolic
	// links. Wildcards pass over some names (see passedOver). nil means Folders; an empty slice that is not nil means no roots.
	Entries []string
}

// A Set is the roots of one workspace for one server. [New] makes one; its methods are safe for
// concurrent use. Only [Set.Roots] and [Set.Current] wait for the disk, no longer than two seconds.
type Set struct {
	changed  func()
	troubled func()
	log      *zap.Logger
	hub      *fswatch.Hub
	pace     pace
	debounce *debounce.Debouncer              // runs check
	scan     func(r *reader, poll bool) found // reads the disk; tests replace it

	mu       sync.Mutex // guards the fields that follow and those of places; never held while the disk is read, nor while changed runs
	places   []*place
	told     []Root
	problems []string // as of the last check
	closed   bool
}

// New returns a Set that has told nothing yet, and begins to look at the disk and to watch it
// with hub. It calls changed when [Set.Roots] would return something new, and troubled when
// [Set.Problems] would, never concurrently nor with a lock held; both may call methods other than Close.
func New(c Config, hub *fswatch.Hub, changed, troubled func(), log *zap.Logger) *Set {
	return newSet(c, hub, changed, troubled, log, defaults, (*reader).scan)
}

func newSet(c Config, hub *fswatch.Hub, changed, troubled func(), log *zap.Logger, pace pace, scan func(*reader, bool) found) *Set {
	s := &Set{changed: changed, troubled: troubled, log: log, hub: hub, pace: pace, scan: scan}
	s.debounce = debounce.New(pace.quiet, pace.atMost, s.check)
	s.Update(c)
	return s
}

// Roots returns the roots as the disk has them, as far as the system has reported, and counts them as told: they
// are the answer to roots/list. The caller owns the slice. It is not nil, so that no
// roots are an empty list in JSON.
func (s *Set) Roots() []Root {
	list := s.Current()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = slices.Clone(list)
	return list
}

// Current returns the same for somebody other than the
// server: it does not count them as told.
func (s *Set) Current() []Root {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	list, _ := s.merged()
	return append([]Root{}, list...)
}

// Problems says why roots may be missing or late: sentences for a person, each with what to do.
// The caller does not change the slice. It does not wait for the disk.
func (s *Set) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problems
}

// Update replaces the configuration. If that changes the list, the Set calls changed a little
// later.
func (s *Set) Update(c Config) {
	groups := parse(c, s.log)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	before := s.places
	s.places = nil
	for _, entries := range groups {
		i := slices.IndexFunc(before, func(p *place) bool { return slices.EqualFunc(p.entries, entries, entry.equal) })
		if i >= 0 {
			s.places = append(s.places, before[i])
			before = slices.Delete(slices.Clone(before), i, i+1)
			continue
		}
		s.places = append(s.places, s.newPlace(entries))
	}
	for _, p := range before {
		p.close()
	}
	s.debounce.Trigger()
}

// Close ends the watches. When it returns, changed has returned too and is not called again.
// So changed must not call Close, nor may a caller that holds a lock that changed takes.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	for _, p := range s.places {
		p.close()
	}
	s.mu.Unlock()
	s.debounce.Stop()
}

// check reports the list if it differs from the list told last, and the problems if they do.
func (s *Set) check() {
	s.look()
	s.mu.Lock()
	list, problems := s.merged()
	changed := !slices.Equal(list, s.told)
	if changed {
		s.told = list
	}
	troubled := !slices.Equal(problems, s.problems)
	s.problems = problems
	s.mu.Unlock()
	if changed {
		s.changed()
	}
	if troubled {
		for _, problem := range problems {
			s.log.Warn(problem)
		}
		s.troubled()
	}
}

// merged returns the roots of all places as they were last found, and the problems. The caller
// holds mu.
func (s *Set) merged() (all []Root, problems []string) {
	seen := map[string]bool{}
	var more trouble
	for _, p := range s.places {
		problems = append(problems, p.found.problems...)
		for _, r := range p.found.roots {
			switch {
			case seen[r.URI]:
			case len(all) == maxRoots:
				first(&more.leftRoot, r.Name)
			default:
				seen[r.URI] = true
				all = append(all, r)
			}
		}
	}
	return all, append(problems, more.sentences()...)
}
