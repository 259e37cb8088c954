package roots

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

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
	watch    []string // the paths that lead to folders, and to where globs begin; sorted
	problems []string // why roots may be missing or late, each for a person
	polled   int      // how many folders must be polled
}

// scan reads what the hints point at, and returns the roots. It is the only function that asks the
// disk, and it never runs concurrently with itself.
func (r *reader) scan(poll bool) found {
	if !r.catchUp(poll) {
		return r.last
	}
	r.found, r.trouble, r.visited = found{}, trouble{}, 0
	r.watch, r.real, r.top = map[string]bool{}, map[string]bool{}, map[string]fs.FileInfo{}
	r.round++
	for i := range r.entries {
		e := &r.entries[i]
		r.mark++
		r.follow(e.base, e, 0)
	}
	r.sweep()
	r.found.watch = slices.Sorted(maps.Keys(r.watch))
	r.found.problems, r.found.polled = r.trouble.sentences(), r.trouble.polled
	r.last = r.found
	return r.last
}

// follow goes on at the path of a folder, which may have symbolic links.
func (r *reader) follow(path string, e *entry, at int) {
	if real := r.way(path); real != "" {
		r.onward(real, e, at)
	}
}

// onward goes on at the path of a folder, which has no symbolic links.
func (r *reader) onward(path string, e *entry, at int) {
	if at == len(e.segments) {
		r.add(path)
		return
	}
	r.walk(path, e, at)
}

// walk adds what matches the segments from at on, below the folder at path, unless nobody needs it
// any more.
func (r *reader) walk(path string, e *entry, at int) {
	if r.ended.Load() {
		return
	}
	d := r.visit(path, e)
	if d == nil {
		return
	}
	if d.mark != r.mark {
		d.mark, d.been = r.mark, 0
	}
	if d.been&(1<<at) != 0 {
		return // two ways through ** may lead to one place
	}
	d.been |= 1 << at
	s := e.segments[at]
	switch s.kind {
	case literal:
		if found, ok := d.named(s.text); ok {
			r.enter(path, found, e, at+1)
		}
	case wild:
		for _, sub := range d.subs {
			if !passedOver(sub.name) && doublestar.MatchUnvalidated(s.text, sub.name) {
				r.enter(path, sub, e, at+1)
			}
		}
	case deep:
		last := at+1 == len(e.segments)
		r.onward(path, e, at+1) // ** may stand for no folder
		for _, sub := range d.subs {
			switch {
			case passedOver(sub.name):
			case !sub.link:
				r.enter(path, sub, e, at)
			case last: // ** does not go through a link
				r.enter(path, sub, e, at+1)
			}
		}
	}
}

// enter goes on at an entry of the folder at path.
func (r *reader) enter(path string, s sub, e *entry, at int) {
	const slash = string(filepath.Separator)
	path = strings.TrimSuffix(path, slash) + slash + s.name
	if s.link {
		r.follow(path, e, at)
		return
	}
	r.onward(path, e, at)
}

// add makes the folder at path a root, unless it is one already. path has no symbolic links.
func (r *reader) add(path string) {
	if r.real[path] {
		return
	}
	if len(r.found.roots) == maxRoots {
		first(&r.trouble.leftRoot, path)
		return
	}
	r.real[path] = true
	r.found.roots = append(r.found.roots, Root{URI: fileuri.FromPath(path), Name: filepath.Base(path)})
}
