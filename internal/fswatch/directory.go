package fswatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// directory is a directory that some Watches need to hear about. Hub.mu guards its fields;
// writing info, held, why and final takes Hub.changing too.
type directory struct {
	path    string      // without symbolic links
	info    fs.FileInfo // what was at path before the watch was set
	held    bool        // the backend may have a watch for this path
	watched bool        // events report changes; false: each Watch that needs it polls it
	why     string      // why it must be polled; "" when it is watched or about to be
	final   bool        // why holds as long as the same directory is at path
	wanted  map[*Watch]names
}

// names are the entries of a directory that matter; anyName stands for all of them.
type names map[string]bool

const anyName = ""

func byPath(a, b *directory) int { return strings.Compare(a.path, b.path) }

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
	d := h.note(w, path, name)
	if watched, done := h.done(d, info); done {
		return watched
	}
	unwatchable := h.env.unwatchable(path)
	for {
		other, was := h.otherName(d, info)
		still := other != nil && isThere(other.path, was)
		h.changing.Lock()
		if now, _ := h.otherName(d, info); now == other {
			defer h.changing.Unlock()
			if watched, done := h.done(d, info); done {
				return watched // another Watch was faster
			}
			return h.renew(d, info, unwatchable, other, still)
		}
		h.changing.Unlock()
	}
}

// note returns the directory at path, in which w wants to hear about name.
func (h *Hub) note(w *Watch, path, name string) *directory {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := h.dirs[path]
	if d == nil {
		d = &directory{path: path, wanted: map[*Watch]names{}}
		h.dirs[path] = d
	}
	if d.wanted[w] == nil {
		d.wanted[w] = names{}
	}
	d.wanted[w][name] = true
	return d
}

// done reports whether there is nothing to do for d. info is what is at the path of d.
func (h *Hub) done(d *directory, info fs.FileInfo) (watched, done bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return d.watched, (d.watched || d.final) && os.SameFile(d.info, info)
}

// keep makes wanted all that matters to w, and ends the watches that nobody needs then.
func (h *Hub) keep(w *Watch, wanted map[string]names) {
	h.changing.Lock()
	defer h.changing.Unlock()
	var unused []string
	h.mu.Lock()
	for path, d := range h.dirs {
		switch {
		case wanted[path] != nil:
			d.wanted[w] = wanted[path]
		case d.wanted[w] != nil:
			delete(d.wanted, w)
			if len(d.wanted) == 0 {
				delete(h.dirs, path)
				unused = append(unused, path)
			}
		}
	}
	h.mu.Unlock()
	if h.backend != nil {
		for _, path := range unused {
			_ = h.backend.Remove(path) // it may be gone, or never watched
		}
	}
}

// renew sets the watch of d anew. unwatchable says why it cannot be watched, if it cannot. other is
// the same directory under the name by which it is watched, if it is; still says whether it is still
// there. The caller holds changing and has asked the disk before.
func (h *Hub) renew(d *directory, info fs.FileInfo, unwatchable string, other *directory, still bool) (watched bool) {
	why, final := unwatchable, unwatchable != ""
	switch {
	case final:
		h.say(why, why, zap.String("folder", d.path))
	default:
		if why = h.obstacle(); why == "" && other != nil {
			why = h.takeOver(other, still)
		}
	}
	if h.backend != nil {
		// fsnotify keeps watches by path: the watch on what was there before must go, or it
		// leaks in the system.
		_ = h.backend.Remove(d.path)
	}
	// It counts as watched before the watch is set, so that an event that ends the watch
	// comes after this.
	h.mu.Lock()
	d.info, d.why, d.final = info, why, final
	d.held, d.watched = why == "", why == ""
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
	d.held, d.watched = false, false
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
func (h *Hub) otherName(d *directory, info fs.FileInfo) (other *directory, was fs.FileInfo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.dirs {
		if o != d && o.held && os.SameFile(o.info, info) {
			return o, o.info
		}
	}
	return nil, nil
}

// isThere reports whether what was at a path is still there. It asks the disk.
func isThere(path string, was fs.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, was)
}

// takeOver takes the watch away from other, unless other has a right to it. The caller holds
// changing.
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
	other.held, other.watched = false, false
	other.poke("")
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
