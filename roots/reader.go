package roots

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
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

	// Used only by scan. The fields of found, trouble, watch and real are those of the scan under way.
	last    found
	before  trouble
	dirs    map[string]*dir        // by path
	tops    map[string]fs.FileInfo // by path: the folders to which ways lead
	round   uint32                 // counts scans
	mark    uint32                 // counts entries of all scans
	visited int                    // in this round
	found   found
	trouble trouble
	watch   map[string]bool
	real    map[string]bool
}

// watcher is the part of [fswatch.Folders] that a reader uses; tests replace it.
type watcher interface {
	Add(path string) (why string)
	Remove(paths ...string)
	Take() fswatch.Hints
	Close()
}

// dir is a folder that globs go through. There are many: it is kept small.
type dir struct {
	path  string // without symbolic links
	subs  []sub  // by name, what globs may go through: no files
	why   string // why it must be polled; "" when it is watched
	been  uint64 // the segments of the entry under way for which it was walked, if mark is that of the entry
	mark  uint32
	round uint32 // when it was visited last

	known  bool // nothing has changed since it was read
	full   bool // it has more entries than are read
	unread bool // its entries cannot be read
	held   bool // it is in reader.dirs
	gone   bool // it was, and is not any more
}

// sub is a folder in a folder, or a link that may lead to one.
type sub struct {
	name string
	dir  *dir // nil when nobody has gone through it
	link bool
}

// at returns the path of an entry.
func (d *dir) at(name string) string {
	if strings.HasSuffix(d.path, string(filepath.Separator)) {
		return d.path + name
	}
	return d.path + string(filepath.Separator) + name
}

func newReader(entries []entry, hub *fswatch.Hub, hinted func()) *reader {
	return &reader{
		entries: entries,
		plain:   !slices.ContainsFunc(entries, func(e entry) bool { return e.segments != nil }),
		folders: hub.Folders(hinted),
		most:    maxFolders,
		list:    list,
		dirs:    map[string]*dir{},
		tops:    map[string]fs.FileInfo{},
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
	todo := r.round == 0 || moved || hints.All || len(hints.Folders) > 0
	for path, another := range hints.Folders {
		if d := r.dirs[path]; d != nil {
			d.known = false
			if another {
				forget(d)
			}
		}
	}
	if hints.All || poll {
		for _, d := range r.dirs {
			if hints.All || d.why != "" {
				d.known, todo = false, true
			}
		}
	}
	return todo || r.plain
}

// forget marks everything below d as unknown, and d too.
func forget(d *dir) {
	d.known = false
	for _, s := range d.subs {
		if s.dir != nil && !s.dir.gone {
			forget(s.dir)
		}
	}
}

// sweep drops what no entry leads to any more.
func (r *reader) sweep() {
	if r.visited == len(r.dirs) || r.ended.Load() {
		return
	}
	var unused []string
	for path, d := range r.dirs {
		if d.round != r.round {
			d.gone, d.subs = true, nil
			delete(r.dirs, path)
			delete(r.tops, path)
			unused = append(unused, path)
		}
	}
	r.folders.Remove(unused...)
}

// result returns what the scan has found.
func (r *reader) result() found {
	r.found.watch = slices.Sorted(maps.Keys(r.watch))
	r.trouble.steady(&r.before, r)
	r.before = r.trouble
	r.found.problems = r.trouble.sentences()
	r.found.polled = r.trouble.polled
	return r.found
}

// need notes that the roots depend on what is at path, for which watch is watched: what is there,
// inside it and on the way to it.
func (r *reader) need(path, watch string) {
	if len(r.watch) == maxWatch && !r.watch[watch] {
		r.trouble.way(path)
		return
	}
	r.watch[watch] = true
}

// wayFile is a path by which what leads to the folder at path is watched, but not what happens in
// it: nothing can have that name.
func wayFile(path string) string { return filepath.Join(path, "\x00") }

// way asks the disk where path leads by way of symbolic links; "" when that is no folder.
func (r *reader) way(path string) (real string) {
	r.need(path, wayFile(path))
	real, info := realFolder(path)
	if info == nil {
		return ""
	}
	if was := r.tops[real]; was != nil && !os.SameFile(was, info) && r.dirs[real] != nil {
		forget(r.dirs[real])
	}
	r.tops[real] = info
	return real
}

// realFolder returns the folder to which path leads, and its path without symbolic links; nil when there
// is none.
func realFolder(path string) (real string, info fs.FileInfo) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", nil
	}
	if info, err = os.Stat(real); err != nil || !info.IsDir() {
		return "", nil
	}
	return real, info
}

// top returns the folder at path, to which a way leads.
func (r *reader) top(path string) *dir {
	if d := r.dirs[path]; d != nil {
		return d
	}
	return &dir{path: path}
}

// below returns the folder that is the entry s of d.
func (r *reader) below(d *dir, s *sub) *dir {
	if s.dir == nil || s.dir.gone {
		s.dir = r.top(d.at(s.name))
		s.name = s.dir.path[len(s.dir.path)-len(s.name):] // one string instead of two
	}
	return s.dir
}

// visit reads d if it is not known, and reports whether e may go through it.
func (r *reader) visit(d *dir, e *entry) bool {
	if d.round != r.round {
		if r.visited == r.most {
			r.trouble.folder(e, d.path, r.most)
			return false
		}
		r.visited++
		d.round = r.round
		if !d.held {
			d.held = true
			r.dirs[d.path] = d
		}
		if !d.known {
			r.read(d)
		}
		if d.why != "" {
			r.trouble.poll(d.path, d.why)
		}
		if d.full {
			r.trouble.entries(d.path)
		}
	}
	return true
}

// read reads d from the disk, after it has it watched.
func (r *reader) read(d *dir) {
	d.known = true
	d.why = r.folders.Add(d.path)
	old := d.subs
	d.subs, d.unread = nil, false
	entries, err := r.list(d.path)
	if err != nil {
		d.unread, d.why = true, "" // there is nothing to poll; the folder above hints when that changes
	}
	d.full = len(entries) == maxEntries
	for _, e := range entries {
		link := e.Type()&fs.ModeSymlink != 0
		if link || e.IsDir() {
			d.subs = append(d.subs, sub{name: e.Name(), link: link})
		}
	}
	d.subs = slices.Clip(d.subs)
	slices.SortFunc(d.subs, func(a, b sub) int { return cmp.Compare(a.name, b.name) })
	for i := range d.subs {
		if was := find(old, d.subs[i].name); was != nil && was.dir != nil && !was.link && !d.subs[i].link {
			d.subs[i].dir, d.subs[i].name = was.dir, was.name
		}
	}
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

// named returns the entry of d of that name; nil when there is none.
func (r *reader) named(d *dir, name string) *sub {
	if s := find(d.subs, name); s != nil || !d.full && !d.unread {
		return s
	}
	info, err := os.Lstat(d.at(name))
	link := err == nil && info.Mode()&fs.ModeSymlink != 0
	if err != nil || !link && !info.IsDir() {
		return nil
	}
	return &sub{name: name, link: link}
}

func find(subs []sub, name string) *sub {
	i, ok := sort.Find(len(subs), func(i int) int { return strings.Compare(name, subs[i].name) })
	if !ok {
		return nil
	}
	return &subs[i]
}
