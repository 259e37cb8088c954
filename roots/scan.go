package roots

import (
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// Limits of one scan.
const (
	maxRoots = 1000

	// maxFolders bounds the folders that all globs of a server go through together. Large repositories
	// have 20,000 without what wildcards pass over. 50,000 cost 27 MB of heap, and a quarter of the watches
	// that Linux gives a user on a machine with 24 GB.
	maxFolders = 50_000

	maxEntries = 10_000 // entries to read of one folder
	maxWatch   = 10_000 // paths to watch: symbolic links, and paths where globs begin
)

// passedOver reports whether wildcards pass over folders of this name: version control keeps what is
// its own there, or a tool what it has fetched or made. It has no name that people give to a folder
// of their own, such as build or vendor: a glob finds those.
func passedOver(name string) bool {
	switch name {
	case ".git", ".hg", ".jj", ".sl", ".svn", "CVS",
		"node_modules", "venv", ".venv", ".tox", "__pycache__", ".cache", "target", "dist":
		return true
	}
	return false
}

// found is the result of a scan.
type found struct {
	roots    []Root
	watch    []string // the paths that lead to where globs begin; sorted
	problems []string // why roots may be missing or late, each for a person
	polled   int      // how many folders must be polled
}

// scan reads what the hints point at, and returns the roots. It is the only function that asks the
// disk, and it never runs concurrently with itself.
func (r *reader) scan(poll bool) found {
	if !r.catchUp(poll) {
		return r.last
	}
	r.found, r.trouble, r.watch, r.visited = found{}, trouble{}, map[string]bool{}, 0
	r.real = map[string]bool{}
	r.round++
	for i := range r.entries {
		e := &r.entries[i]
		r.mark++
		if e.segments == nil {
			r.need(e.base, e.base)
			if real, info := realFolder(e.base); info != nil {
				r.add(real)
			}
			continue
		}
		r.follow(e.base, e, 0)
	}
	r.sweep()
	r.last = r.result()
	return r.last
}

// follow goes on at the path of a folder, which may have symbolic links.
func (r *reader) follow(path string, e *entry, at int) {
	real := r.way(path)
	switch {
	case real == "":
	case at == len(e.segments):
		r.add(real)
	default:
		r.walk(r.top(real), e, at)
	}
}

// walk adds what matches the segments from at on, below d, unless nobody needs it any more.
func (r *reader) walk(d *dir, e *entry, at int) {
	if r.ended.Load() {
		return
	}
	if d.mark != r.mark {
		d.mark, d.been = r.mark, 0
	}
	if d.been&(1<<at) != 0 {
		return // two ways through ** may lead to one place
	}
	d.been |= 1 << at
	if !r.visit(d, e) {
		return
	}
	s := e.segments[at]
	switch s.kind {
	case literal:
		if found := r.named(d, s.text); found != nil {
			r.enter(d, found, e, at+1)
		}
	case wild:
		for i := range d.subs {
			if sub := &d.subs[i]; !passedOver(sub.name) && doublestar.MatchUnvalidated(s.text, sub.name) {
				r.enter(d, sub, e, at+1)
			}
		}
	case deep:
		last := at+1 == len(e.segments)
		if last { // ** may stand for no folder
			r.add(d.path)
		} else {
			r.walk(d, e, at+1)
		}
		for i := range d.subs {
			sub := &d.subs[i]
			switch {
			case passedOver(sub.name):
			case !sub.link:
				r.enter(d, sub, e, at)
			case last: // ** does not go through a link
				r.enter(d, sub, e, at+1)
			}
		}
	}
}

// enter goes on at an entry of d.
func (r *reader) enter(d *dir, s *sub, e *entry, at int) {
	switch {
	case s.link:
		r.follow(d.at(s.name), e, at)
	case at == len(e.segments):
		r.add(d.at(s.name))
	default:
		r.walk(r.below(d, s), e, at)
	}
}

// add makes the folder at path a root, unless it is one already. path has no symbolic links.
func (r *reader) add(path string) {
	if r.real[path] {
		return
	}
	if len(r.found.roots) == maxRoots {
		r.trouble.root(path)
		return
	}
	r.real[path] = true
	r.found.roots = append(r.found.roots, Root{URI: fileuri.FromPath(path), Name: filepath.Base(path)})
}
