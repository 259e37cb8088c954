package roots

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// A reader reads the roots of one place, and remembers every folder that a glob went through: it
// reads a folder again only when the system hints that it changed, or must be polled.
type reader struct {
	entries []entry
	plain   bool // there are only paths: they are looked at whenever somebody asks
	folders watcher
	most    int                                      // folders to go through
	list    func(path string) ([]fs.DirEntry, error) // reads a folder; tests replace it
	moved   atomic.Bool                              // something may have changed on the way to where a glob begins
	ended   atomic.Bool

	// Used only by scan. From found on they are those of the scan under way.
	last    found
	dirs    map[string]*dir        // by path
	tops    map[string]fs.FileInfo // by path: the folders to which ways led at the last scan
	round   uint32                 // counts scans
	mark    uint32                 // counts entries of all scans
	found   found
	trouble trouble
	visited int
	watch   map[string]bool
	real    map[string]bool
	top     map[string]fs.FileInfo // tops of the next scan
}

// watcher is the part of [fswatch.Folders] that a reader uses; tests replace it.
type watcher interface {
	Add(path string) (why string)
	Remove(path string)
	Take() fswatch.Hints
	Close()
}

// dir is a folder that globs go through. There are many: it is kept small.
type dir struct {
	subs  []sub  // by name, what globs may go through: no files
	why   string // why it must be polled; "" when it is watched
	been  uint64 // the segments of the entry under way for which it was walked, if mark is that of the entry
	mark  uint32
	round uint32 // when it was visited last
	known bool   // nothing has changed since it was read
	full  bool   // it has more entries than are read
}

// sub is a folder in a folder, or a link that may lead to one.
type sub struct {
	name string
	link bool
}

func newReader(entries []entry, hub *fswatch.Hub, hinted func()) *reader {
	return &reader{
		entries: entries,
		plain:   !slices.ContainsFunc(entries, func(e entry) bool { return e.segments != nil }),
		folders: hub.Folders(hinted),
		most:    maxFolders,
		list:    list,
		dirs:    map[string]*dir{},
	}
}

// close ends the watches, and the scan under way as soon as the disk lets it.
func (r *reader) close() {
	r.ended.Store(true)
	r.folders.Close()
}

// catchUp marks what must be read again. It reports whether there is anything to do.
func (r *reader) catchUp(poll bool) bool {
	hints, moved := r.folders.Take(), r.moved.Swap(false)
	todo := r.plain || r.round == 0 || moved || hints.All || len(hints.Folders) > 0
	others := map[string]bool{}
	for path, another := range hints.Folders {
		if d := r.dirs[path]; d != nil {
			d.known = false
		}
		if another {
			others[path] = true
		}
	}
	r.forget(others)
	if hints.All || poll {
		for _, d := range r.dirs {
			if hints.All || d.why != "" {
				d.known, todo = false, true
			}
		}
	}
	return todo
}

// forget marks as unknown what is at or below the paths, where other folders may be now.
func (r *reader) forget(paths map[string]bool) {
	if len(paths) == 0 {
		return
	}
	for path, d := range r.dirs {
		for at, below := path, ""; d.known && at != below; at, below = filepath.Dir(at), at {
			d.known = !paths[at]
		}
	}
}

// sweep drops what no entry leads to any more.
func (r *reader) sweep() {
	r.tops = r.top
	if r.visited == len(r.dirs) || r.ended.Load() {
		return
	}
	for path, d := range r.dirs {
		if d.round != r.round {
			delete(r.dirs, path)
			r.folders.Remove(path)
		}
	}
}

// way asks the disk where path leads by way of symbolic links; "" when that is no folder.
func (r *reader) way(path string) (real string) {
	// What leads to the folder is watched, but not what happens in it: nothing can have that name.
	if way := filepath.Join(path, "\x00"); len(r.watch) < maxWatch {
		r.watch[way] = true
	} else if !r.watch[way] {
		r.trouble.leftWays = true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return ""
	}
	if was := r.tops[real]; was != nil && !os.SameFile(was, info) {
		r.forget(map[string]bool{real: true})
	}
	r.top[real] = info
	return real
}

// visit returns the folder at path, read if it is not known; nil when e may not go through it.
func (r *reader) visit(path string, e *entry) *dir {
	d := r.dirs[path]
	if d != nil && d.round == r.round {
		return d
	}
	if r.visited == r.most {
		first(&r.trouble.glob, e.text)
		r.trouble.most = r.most
		return nil
	}
	r.visited++
	if d == nil {
		d = &dir{}
		r.dirs[path] = d
	}
	d.round = r.round
	if !d.known {
		r.read(path, d)
	}
	if d.why != "" {
		r.trouble.polled++
		first(&r.trouble.lateWhy, d.why)
	}
	if d.full {
		first(&r.trouble.full, path)
	}
	return d
}

// read reads d from the disk, after it has it watched.
func (r *reader) read(path string, d *dir) {
	d.known = true
	d.why = r.folders.Add(path)
	entries, err := r.list(path)
	if err != nil {
		d.why = "" // there is nothing to poll; the folder above hints when that changes
	}
	d.full = len(entries) == maxEntries
	d.subs = nil
	for _, e := range entries {
		link := e.Type()&fs.ModeSymlink != 0
		if link || e.IsDir() {
			d.subs = append(d.subs, sub{name: e.Name(), link: link})
		}
	}
	d.subs = slices.Clip(d.subs)
	slices.SortFunc(d.subs, func(a, b sub) int { return cmp.Compare(a.name, b.name) })
}

// list returns the entries of a folder, maxEntries at most.
func list(path string) ([]fs.DirEntry, error) {
	f, err := safeopen.Folder(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxEntries) // what it has read counts, whatever stopped it
	return entries, nil
}

// named returns the entry of d of that name.
func (d *dir) named(name string) (s sub, ok bool) {
	compare := func(s sub, name string) int { return cmp.Compare(s.name, name) }
	i, ok := slices.BinarySearchFunc(d.subs, name, compare)
	if !ok {
		return sub{}, false
	}
	return d.subs[i], true
}
