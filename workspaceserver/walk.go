package workspaceserver

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// Bounds of one walk.
const (
	maxVisited = 200_000 // files and directories
	maxDepth   = 100     // directories inside one another
)

// heavyDirs are directories of derived or downloaded files, which a walk does not enter.
var heavyDirs = []string{"node_modules", "bower_components", "__pycache__", "venv"}

// skipped describes what a walk leaves out, for the descriptions of the tools.
const skipped = "Skips hidden directories (such as .git), node_modules, bower_components, __pycache__, venv and symbolic links."

// file is a regular file that a walk visits.
type file struct {
	root *os.Root // valid during the visit
	rel  string   // inside the root, with slashes
	path string   // absolute
}

// read returns the bytes of the file; see [workspace.read] for its errors.
func (f file) read(limit int64) ([]byte, error) {
	open, err := f.root.OpenFile(filepath.FromSlash(f.rel), safeopen.Flags, 0)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	return readRegular(open, limit)
}

// walk visits the regular files of the workspace: the roots in their order, and in
// each directory the names in theirs. It visits a root inside another once, as
// itself. It leaves out what cannot be read. visit returns false to end the walk.
// complete is false when the walk reached one of its own bounds.
func (w *workspace) walk(ctx context.Context, visit func(file) bool) (complete bool, err error) {
	k := &walker{ctx: ctx, left: maxVisited, visit: visit, roots: make(map[string]bool)}
	for _, f := range w.served {
		k.roots[f.path] = true
	}
	for _, f := range w.served {
		root, err := os.OpenRoot(f.path)
		if err != nil {
			continue // it has gone since the workspace was made
		}
		more := k.dir(root, f.path, ".", 0)
		root.Close()
		if !more {
			break
		}
	}
	return !k.cut, ctx.Err()
}

// walker is the state of one walk.
type walker struct {
	ctx   context.Context
	visit func(file) bool
	roots map[string]bool // canonical paths to walk as roots
	left  int             // entries it may still visit
	cut   bool            // it reached a bound
}

// dir visits the directory rel of root. It returns false when the walk is over.
func (k *walker) dir(root *os.Root, base, rel string, depth int) (more bool) {
	if depth > maxDepth {
		k.cut = true
		return true
	}
	entries := k.entries(root, rel)
	for _, e := range entries {
		if k.ctx.Err() != nil {
			return false
		}
		inside := path.Join(rel, e.Name())
		at := filepath.Join(base, filepath.FromSlash(inside))
		switch {
		case e.IsDir():
			if skipDir(e.Name()) || k.roots[at] {
				continue
			}
			if !k.dir(root, base, inside, depth+1) {
				return false
			}
		case e.Type().IsRegular():
			if !k.visit(file{root: root, rel: inside, path: at}) {
				return false
			}
		}
	}
	return true
}

// entries returns the entries of a directory, at most as many as the walk may still visit.
func (k *walker) entries(root *os.Root, rel string) []os.DirEntry {
	d, err := root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(k.left + 1) // entries read before an error count
	if len(entries) > k.left {
		entries, k.cut = entries[:k.left], true
	}
	k.left -= len(entries)
	sortEntries(entries)
	return entries
}

func sortEntries(entries []os.DirEntry) {
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}

func skipDir(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains(heavyDirs, name)
}
