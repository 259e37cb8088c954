package roots

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// Limits of one scan.
const (
	maxRoots   = 1000
	maxRead    = 4000   // directories to read for all globs together
	maxEntries = 10_000 // entries to read of one directory
	maxWatch   = 10_000 // paths to watch
)

// found is the result of a scan.
type found struct {
	roots []Root
	watch []string // the paths that roots depend on, sorted
	cut   bool     // there is more than the limits allow
}

// scan reads the roots from the disk.
func scan(entries []entry) found {
	s := scanner{real: map[string]bool{}, watch: map[string]bool{}, read: map[string][]fs.DirEntry{}}
	for _, e := range entries {
		s.visited = map[visit]bool{}
		s.need(e.base)
		if isDir(e.base) {
			s.walk(e.base, e.segments)
		}
	}
	for path := range s.watch {
		s.found.watch = append(s.found.watch, path)
	}
	slices.Sort(s.found.watch)
	return s.found
}

// scanner is one scan under way.
type scanner struct {
	found
	real    map[string]bool          // the paths of the roots
	watch   map[string]bool          // becomes found.watch
	read    map[string][]fs.DirEntry // the directories read for globs
	visited map[visit]bool           // for the current entry: two ways through ** may lead to one place
}

type visit struct {
	dir  string
	left int // segments
}

// walk adds the directories under dir that match segments. dir is a directory.
func (s *scanner) walk(dir string, segments []string) {
	if len(segments) == 0 {
		s.add(dir)
		return
	}
	here := visit{dir, len(segments)}
	if s.visited[here] {
		return
	}
	s.visited[here] = true
	segment, rest := segments[0], segments[1:]
	if !strings.ContainsAny(segment, meta) {
		next := filepath.Join(dir, segment)
		s.need(next)
		if isDir(next) {
			s.walk(next, rest)
		}
		return
	}
	deep := segment == "**"
	if deep {
		s.walk(dir, rest) // ** may stand for no directory
	}
	for _, e := range s.entries(dir) {
		next := filepath.Join(dir, e.Name())
		link := e.Type()&fs.ModeSymlink != 0
		switch {
		case !deep && !doublestar.MatchUnvalidated(segment, e.Name()):
		case deep && link && len(rest) > 0: // ** does not go through it
		case link:
			s.need(next) // its target may come and go
			if isDir(next) {
				s.walk(next, rest)
			}
		case e.IsDir() && deep:
			s.walk(next, segments)
		case e.IsDir():
			s.walk(next, rest)
		}
	}
}

// need notes that roots depend on path and on its entries.
func (s *scanner) need(path string) {
	if len(s.watch) == maxWatch && !s.watch[path] {
		s.cut = true
		return
	}
	s.watch[path] = true
}

// entries returns the entries of dir, by name; none when it cannot be read.
func (s *scanner) entries(dir string) []fs.DirEntry {
	entries, done := s.read[dir]
	if done {
		return entries
	}
	if len(s.read) == maxRead {
		s.cut = true
		return nil
	}
	s.need(dir)
	if f, err := safeopen.Folder(dir); err == nil {
		entries, _ = f.ReadDir(maxEntries)
		f.Close()
	}
	if len(entries) == maxEntries {
		s.cut = true
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	s.read[dir] = entries
	return entries
}

// add makes dir a root, unless it is one already, by another name.
func (s *scanner) add(dir string) {
	path := fileuri.Canonical(dir)
	if s.real[path] {
		return
	}
	if len(s.roots) == maxRoots {
		s.cut = true
		return
	}
	s.real[path] = true
	s.roots = append(s.roots, Root{URI: fileuri.FromPath(path), Name: filepath.Base(path)})
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
