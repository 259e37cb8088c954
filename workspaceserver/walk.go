package workspaceserver

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

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
	entries := entriesOf(d, k.left+1)
	if len(entries) > k.left {
		entries, k.cut = entries[:k.left], true
	}
	k.left -= len(entries)
	return entries
}

func skipDir(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains(heavyDirs, name)
}

// Bounds of a pattern. Every group of alternatives multiplies the work of a match.
const (
	maxPattern = 256 // bytes
	maxGroups  = 3
)

// patternRules describes patterns, for the descriptions of the tools.
const patternRules = "A pattern without wildcards matches any part of a path relative to its root, ignoring case. " +
	"A pattern with wildcards (*, ?, [a-z], {a,b}, and ** for any number of directories) is a glob. With a / in it, " +
	"it must match the whole path relative to its root; without a /, it must match the file name."

// newPattern returns a function that reports whether a path, relative to its root
// and with slashes, matches the pattern. See patternRules.
func newPattern(pattern string) (func(rel string) bool, error) {
	if len(pattern) > maxPattern || strings.Count(pattern, "{") > maxGroups {
		return nil, errors.New("the pattern is too long or has too many {} groups; make it simpler")
	}
	if !strings.ContainsAny(pattern, "*?[{") {
		part := strings.ToLower(pattern)
		return func(rel string) bool { return strings.Contains(strings.ToLower(rel), part) }, nil
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, errors.New("the pattern is not a valid glob; close every [ and {")
	}
	if !strings.Contains(pattern, "/") {
		return func(rel string) bool { return doublestar.MatchUnvalidated(pattern, path.Base(rel)) }, nil
	}
	return func(rel string) bool { return doublestar.MatchUnvalidated(pattern, rel) }, nil
}
