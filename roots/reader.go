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
	moved   atomic.Bool                              // something may have changed on the way to where a glob begins, or in the files around it
	ended   atomic.Bool

	// Used only by scan. The fields of found, trouble, watch and real are those of the scan under way.
	last    found
	before  trouble
	dirs    map[string]*dir // by path
	all     []*dir          // the same
	ways    map[string]*way // by path
	tops    map[string]fs.FileInfo
	book    rulebook
	round   uint32 // counts scans
	mark    uint32 // counts entries of all scans
	visited int    // in this round
	work    int    // comparisons with patterns in this round
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
	path    string // without symbolic links
	subs    []sub  // by name, what globs may go through: no files
	above   *rules // what counts for the folder itself
	rules   *rules // what counts below it
	problem string // what is wrong with its files that say what git ignores
	why     string // why it must be polled; "" when it is watched
	been    uint64 // the segments of the entry under way for which it was walked, if mark is that of the entry
	mark    uint32
	round   uint32 // when it was visited last

	known      bool // nothing has changed since it was read
	full       bool // it has more entries than are read
	unread     bool // its entries cannot be read
	ignored    bool // git ignores it, but a pattern has asked for it
	repository bool
	file       bool // it has a .gitignore
	held       bool // it is in reader.dirs
	gone       bool // it was, and is not any more
}

// sub is a folder in a folder, or a link that may lead to one.
type sub struct {
	name    string
	dir     *dir // nil when nobody has gone through it
	link    bool
	ignored bool // only a pattern that names it leads there
}

// at returns the path of an entry.
func (d *dir) at(name string) string {
	if strings.HasSuffix(d.path, string(filepath.Separator)) {
		return d.path + name
	}
	return d.path + string(filepath.Separator) + name
}

// way is where a path leads by way of symbolic links.
type way struct {
	real    string // "" when it leads to no folder
	above   *rules
	ignored bool
	files   []string // on which above and ignored depend
	problem string
}

func newReader(entries []entry, hub *fswatch.Hub, hinted func()) *reader {
	return &reader{
		entries: entries,
		plain:   !slices.ContainsFunc(entries, func(e entry) bool { return e.segments != nil }),
		folders: hub.Folders(hinted, ignoreFile),
		most:    maxFolders,
		list:    list,
		dirs:    map[string]*dir{},
		ways:    map[string]*way{},
		tops:    map[string]fs.FileInfo{},
		book:    rulebook{sheets: map[string]*rules{}},
	}
}

// close ends the watches, and the scan under way as soon as the disk lets it.
func (r *reader) close() {
	r.ended.Store(true)
	r.folders.Close()
}

// stopped reports whether nobody needs the result of the scan any more, or it is too much work.
func (r *reader) stopped() bool {
	if r.work > maxWork {
		r.trouble.slow = true
		return true
	}
	return r.ended.Load()
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
		for _, d := range r.all {
			if hints.All || d.why != "" {
				d.known, todo = false, true
			}
		}
	}
	if moved || hints.All {
		for path := range r.ways {
			r.ways[path] = r.resolve(path)
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
	maps.DeleteFunc(r.ways, func(path string, _ *way) bool { return !r.watch[wayFile(path)] })
	if r.visited == len(r.dirs) || r.ended.Load() {
		return
	}
	var unused []string
	r.all = slices.DeleteFunc(r.all, func(d *dir) bool {
		if d.round == r.round {
			return false
		}
		d.gone, d.subs = true, nil
		delete(r.dirs, d.path)
		delete(r.tops, d.path)
		r.book.drop(filepath.Join(d.path, ignoreFile))
		r.book.drop(filepath.Join(d.path, excludeFile))
		unused = append(unused, d.path)
		return true
	})
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

// need notes that the roots depend on what is at path, inside it and on the way to it.
func (r *reader) need(path string) {
	if len(r.watch) == maxWatch && !r.watch[path] {
		r.trouble.way(path)
		return
	}
	r.watch[path] = true
}

// wayFile is a path by which what leads to the folder at path is watched, but not what happens in it.
func wayFile(path string) string { return filepath.Join(path, ignoreFile) }

// way returns where path leads.
func (r *reader) way(path string) *way {
	w := r.ways[path]
	if w == nil {
		w = r.resolve(path)
		r.ways[path] = w
	}
	r.need(wayFile(path))
	for _, file := range w.files {
		r.need(file)
	}
	if w.problem != "" {
		r.trouble.rules(w.real, w.problem)
	}
	return w
}

// resolve asks the disk where path leads.
func (r *reader) resolve(path string) *way {
	w := &way{}
	real, ok := realFolder(path)
	if !ok {
		return w
	}
	info, err := os.Stat(real)
	if err != nil {
		return w
	}
	if was := r.tops[real]; was != nil && !os.SameFile(was, info) && r.dirs[real] != nil {
		forget(r.dirs[real])
	}
	r.tops[real] = info
	w.real = real
	w.above, w.ignored, w.files, w.problem = r.book.outside(real, &r.work)
	return w
}

// realFolder returns the path without symbolic links of the folder to which path leads.
func realFolder(path string) (real string, ok bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	return real, err == nil && info.IsDir()
}

// top returns the folder to which a way leads.
func (r *reader) top(w *way) *dir {
	d := r.dirs[w.real]
	if d == nil {
		d = &dir{path: w.real}
	}
	return r.under(d, w.above, w.ignored)
}

// below returns the folder that is the entry s of d.
func (r *reader) below(d *dir, s *sub) *dir {
	if s.dir == nil || s.dir.gone {
		path := d.at(s.name)
		if s.dir = r.dirs[path]; s.dir == nil {
			s.dir = &dir{path: path}
		}
		s.name = s.dir.path[len(s.dir.path)-len(s.name):] // one string instead of two
	}
	return r.under(s.dir, d.rules, s.ignored)
}

// under notes what counts for d, once in a round: by whatever way an entry comes to d, that is
// the same.
func (r *reader) under(d *dir, above *rules, ignored bool) *dir {
	if d.round == r.round && !d.gone || d.above == above && d.ignored == ignored {
		return d
	}
	d.above, d.ignored = above, ignored
	if d.known {
		r.govern(d)
	}
	return d
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
			r.all = append(r.all, d)
		}
		if !d.known {
			r.read(d)
		}
		r.note(d)
	}
	return true
}

// note notes what is wrong with d, and the files on which it depends.
func (r *reader) note(d *dir) {
	if d.why != "" {
		r.trouble.poll(d.path, d.why)
	}
	if d.full {
		r.trouble.entries(d.path)
	}
	if d.problem != "" {
		r.trouble.rules(d.path, d.problem)
	}
	if d.repository {
		r.need(filepath.Join(d.path, excludeFile))
	}
}

// read reads d from the disk, after it has it watched.
func (r *reader) read(d *dir) {
	d.known = true
	d.why = r.folders.Add(d.path)
	old := d.subs
	d.subs, d.repository, d.file, d.full, d.unread = nil, false, false, false, false
	entries, err := r.list(d.path)
	if err != nil {
		d.unread, d.why = true, "" // there is nothing to poll; the folder above hints when that changes
	}
	d.full = len(entries) == maxEntries
	for _, e := range entries {
		name := e.Name()
		link := e.Type()&fs.ModeSymlink != 0
		d.repository = d.repository || name == gitFolder
		d.file = d.file || name == ignoreFile
		if link || e.IsDir() {
			d.subs = append(d.subs, sub{name: name, link: link})
		}
	}
	d.subs = slices.Clip(d.subs)
	slices.SortFunc(d.subs, func(a, b sub) int { return cmp.Compare(a.name, b.name) })
	for i := range d.subs {
		if was := find(old, d.subs[i].name); was != nil && was.dir != nil && !was.link && !d.subs[i].link {
			d.subs[i].dir, d.subs[i].name = was.dir, was.name
		}
	}
	r.govern(d)
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

// govern finds out what git ignores in d.
func (r *reader) govern(d *dir) {
	d.rules, d.problem = r.book.own(d.path, d.above, d.ignored, d.repository, d.file)
	for i := range d.subs {
		s := &d.subs[i]
		s.ignored = isPrivate(s.name) || d.rules != nil && d.rules.ignored(d.at(s.name), !s.link, &r.work)
	}
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
	return &sub{name: name, link: link, ignored: d.rules.ignored(d.at(name), !link, &r.work)}
}

func find(subs []sub, name string) *sub {
	i, ok := sort.Find(len(subs), func(i int) int { return strings.Compare(name, subs[i].name) })
	if !ok {
		return nil
	}
	return &subs[i]
}
