package workspaceserver

import (
	"context"
	"errors"
	"io/fs"
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
// complete is false when the walk reached one of its own bounds, of which most is that
// of files and directories.
func (w *workspace) walk(ctx context.Context, most int, visit func(file) bool) (complete bool, err error) {
	complete, more, roots := true, true, make(map[string]bool)
	for _, f := range w.served {
		roots[f.path] = true
	}
	for _, f := range w.served {
		root, err := os.OpenRoot(f.path)
		if err != nil {
			continue // it has gone since the workspace was made
		}
		_ = fs.WalkDir(rootFS{root}, ".", func(rel string, e fs.DirEntry, err error) error {
			if rel == "." || err != nil {
				return nil // what was read before an error counts
			}
			if most--; most < 0 {
				complete = false
			}
			at := filepath.Join(f.path, filepath.FromSlash(rel))
			switch {
			case most < 0 || ctx.Err() != nil:
				more = false
			case e.IsDir() && (skipDir(e.Name()) || roots[at]):
				return fs.SkipDir
			case e.IsDir() && strings.Count(rel, "/") >= maxDepth:
				complete = false
				return fs.SkipDir
			case e.Type().IsRegular():
				more = visit(file{root: root, rel: rel, path: at})
			}
			if !more {
				return fs.SkipAll
			}
			return nil
		})
		root.Close()
		if !more {
			break
		}
	}
	return complete, ctx.Err()
}

// rootFS reads no more of a directory than a walk visits.
type rootFS struct{ *os.Root }

func (r rootFS) Open(name string) (fs.File, error) { return r.Root.Open(filepath.FromSlash(name)) }

func (r rootFS) ReadDir(name string) ([]fs.DirEntry, error) {
	d, err := r.Root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return entriesOf(d, maxVisited+1), nil
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
