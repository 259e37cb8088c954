package fswatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// directory is a directory that some Watches or Folders need to hear about. Hub.mu guards its
// fields; writing id, held, why and final takes Hub.changing too.
type directory struct {
	path    string   // without symbolic links
	id      identity // of what was at path before the watch was set
	held    bool     // the backend may have a watch for this path; Hub.held has it by id
	watched bool     // events report changes; false: whoever needs it polls it
	final   bool     // why holds as long as the same directory is at path
	why     string   // why it must be polled; "" when it is watched or about to be
	wanted  map[*Watch]names
	in      []*Folders
}

// names are the entries of a directory that matter; anyName stands for all of them.
type names map[string]bool

const anyName = ""

// poke wakes the Watches to which the entry name matters; name "" is the directory
// itself, which matters to all. The caller holds Hub.mu.
func (d *directory) poke(name string) {
	for w, wanted := range d.wanted {
		if name == "" || wanted[name] || wanted[anyName] {
			w.poke()
		}
	}
}

// want notes that name in the directory at path matters to w, and has the directory
// watched. info is what is at path. It returns false when w must poll it. It may take as
// long as the disk does, and then only w waits.
func (h *Hub) want(w *Watch, path, name string, info fs.FileInfo) (watched bool) {
	return h.ensure(h.note(w, path, name), identify(info))
}

// ensure has d watched. id is of what is at its path. It returns false when d must be polled. It
// may take as long as the disk does.
func (h *Hub) ensure(d *directory, id identity) (watched bool) {
	if watched, done := h.done(d, id); done {
		return watched
	}
	unwatchable := h.env.unwatchable(d.path)
	for {
		other, was := h.otherName(d, id)
		still := other != nil && isThere(other.path, was)
		h.changing.Lock()
		if now, _ := h.otherName(d, id); now == other {
			defer h.changing.Unlock()
			if watched, done := h.done(d, id); done {
				return watched // somebody else was faster
			}
			return h.renew(d, id, unwatchable, other, still)
		}
		h.changing.Unlock()
	}
}

// note returns the directory at path, in which w wants to hear about name.
func (h *Hub) note(w *Watch, path, name string) *directory {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := h.directoryAt(path)
	if d.wanted == nil {
		d.wanted = map[*Watch]names{}
	}
	if d.wanted[w] == nil {
		d.wanted[w] = names{}
	}
	d.wanted[w][name] = true
	w.dirs[path] = true
	return d
}

// directoryAt returns the directory at path. The caller holds mu.
func (h *Hub) directoryAt(path string) *directory {
	d := h.dirs[path]
	if d == nil {
		d = &directory{path: path}
		h.dirs[path] = d
	}
	return d
}

// done reports whether there is nothing to do for d. id is of what is at the path of d.
func (h *Hub) done(d *directory, id identity) (watched, done bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return d.watched, (d.watched || d.final) && d.id.same(id)
}

// keep makes wanted all that matters to w, and ends the watches that nobody needs then.
func (h *Hub) keep(w *Watch, wanted map[string]names) {
	h.changing.Lock()
	defer h.changing.Unlock()
	var unused []string
	h.mu.Lock()
	for path := range w.dirs {
		d := h.dirs[path]
		if wanted[path] != nil {
			d.wanted[w] = wanted[path]
			continue
		}
		delete(w.dirs, path)
		delete(d.wanted, w)
		unused = h.forgetUnused(d, unused)
	}
	h.mu.Unlock()
	h.end(unused)
}

// forgetUnused forgets d if nobody needs it, and adds its path to unused then: the caller ends the
// watch, after it has released mu. The caller holds changing and mu.
func (h *Hub) forgetUnused(d *directory, unused []string) []string {
	if len(d.wanted)+len(d.in) > 0 {
		return unused
	}
	delete(h.dirs, d.path)
	h.letGo(d)
	return append(unused, d.path)
}

// end ends watches. The caller holds changing since it found out that nobody needs them.
func (h *Hub) end(unused []string) {
	if h.backend == nil {
		return
	}
	for _, path := range unused {
		_ = h.backend.Remove(path) // it may be gone, or never watched
	}
}

// letGo notes that the backend has no watch for d. The caller holds changing and mu.
func (h *Hub) letGo(d *directory) {
	if h.held[d.id] == d {
		delete(h.held, d.id)
	}
	d.held, d.watched = false, false
}

// renew sets the watch of d anew. unwatchable says why it cannot be watched, if it cannot. other is
// the same directory under the name by which it is watched, if it is; still says whether it is still
// there. The caller holds changing and has asked the disk before.
func (h *Hub) renew(d *directory, id identity, unwatchable string, other *directory, still bool) (watched bool) {
	why, final := unwatchable, unwatchable != ""
	switch {
	case final:
		h.say(why, why, zap.String("folder", d.path))
	default:
		if why = h.obstacle(); why == "" && other != nil {
			why = h.takeOver(other, still)
		}
	}
	if d.held && h.backend != nil {
		// fsnotify keeps watches by path: the watch on what was there before must go, or it
		// leaks in the system.
		_ = h.backend.Remove(d.path)
	}
	// It counts as watched before the watch is set, so that an event that ends the watch
	// comes after this.
	h.mu.Lock()
	h.letGo(d)
	d.id, d.why, d.final = id, why, final
	if why == "" {
		d.held, d.watched = true, true
		h.held[id] = d
	}
	h.mu.Unlock()
	if why != "" {
		return false
	}
	err := h.backend.Add(d.path)
	if err == nil {
		h.limit = ""
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.letGo(d)
	d.why = fmt.Sprintf("it cannot be watched: %v", err)
	if isLimit(err) {
		d.why = h.limited(err)
	}
	return false
}

// obstacle says why nothing can be watched at all; "" when it can. The caller holds changing.
func (h *Hub) obstacle() (why string) {
	if h.ended {
		return "the watcher has ended"
	}
	if h.limit != "" && time.Now().Before(h.retryAt) {
		return h.limit
	}
	if h.backend == nil {
		b, err := h.env.open()
		if err != nil {
			return h.limited(err)
		}
		h.backend = b
		h.receiver.Go(func() { h.receive(b) })
	}
	return ""
}

// otherName returns the directory by whose name d is watched already, if it is. inotify has one
// watch for one directory, and fsnotify one name for one watch. The other name may be a
// bind mount, or an old name of the directory; was is what was there when its watch was set.
func (h *Hub) otherName(d *directory, id identity) (other *directory, was identity) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o := h.held[id]; o != nil && o != d {
		return o, o.id
	}
	return nil, identity{}
}

// isThere reports whether what was at a path is still there, and not by way of a link. It asks the disk.
func isThere(path string, was identity) bool {
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && identify(now).same(was)
}

// takeOver takes the watch away from other, unless other has a right to it. The caller holds changing.
func (h *Hub) takeOver(other *directory, still bool) (why string) {
	h.mu.Lock()
	keeps := other.watched && still
	h.mu.Unlock()
	if keeps {
		return fmt.Sprintf("it is watched by its other name, %q", other.path)
	}
	_ = h.backend.Remove(other.path)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.letGo(other)
	other.poke("")
	for _, f := range other.in {
		f.hint(other.path, true)
	}
	return ""
}

// limited notes that the system gives no more watches. The caller holds changing.
func (h *Hub) limited(err error) string {
	h.limit = fmt.Sprintf("the system gives no more file watches (%v); %s", err, advice(err))
	h.retryAt = time.Now().Add(h.env.retryAfter)
	h.say("limit", h.limit)
	return h.limit
}

// say logs why something is polled, once for each subject. The caller holds changing.
func (h *Hub) say(subject, why string, fields ...zap.Field) {
	if h.said[subject] {
		return
	}
	h.said[subject] = true
	h.log.Warn(fmt.Sprintf("some folders are polled every %v: %s", h.env.pollEvery, why), fields...)
}

func isLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// split cuts a path into directory and entry; the entry of a root is "".
func split(path string) (dir, name string) {
	if dir = filepath.Dir(path); dir == path {
		return dir, ""
	}
	return dir, filepath.Base(path)
}
