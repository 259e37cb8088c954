package fswatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// identity says which directory was at a path. The zero identity says that nobody knows.
type identity struct{ dev, ino uint64 }

// same reports whether both are known to be the same directory.
func (id identity) same(other identity) bool { return id == other && id != identity{} }

// directory is a directory that some listeners need to hear about. Hub.mu guards its
// fields; writing id takes Hub.changing too.
type directory struct {
	path    string   // without symbolic links
	id      identity // of what was at path before the watch was set; Hub.held has it by id if there may be one
	watched bool     // events report changes; false: whoever needs it polls it
	in      []listener
}

// tell tells the listeners in d of the entry name; name "" is the directory itself. The caller holds
// Hub.mu.
func (d *directory) tell(name string, op fsnotify.Op, another bool) {
	for _, l := range d.in {
		l.hear(d.path, name, op, another)
	}
}

// add has l hear of the directory at path, and has the directory watched. info is what is at path; nil
// when it cannot be reached. add returns why the directory must be polled; "" when it is watched. It may
// take as long as the disk does, and then only its caller waits.
func (h *Hub) add(l listener, path string, info fs.FileInfo) (why string) {
	d := h.note(l, path)
	if d == nil {
		return "the watcher has ended"
	}
	if info == nil {
		return "it cannot be reached"
	}
	id := identify(info)
	if h.isWatched(d, id) {
		return ""
	}
	why = h.env.unwatchable(d.path)
	other := h.otherName(d, id)
	still := other != nil && isThere(other.path, id)
	h.changing.Lock()
	defer h.changing.Unlock()
	if h.isWatched(d, id) {
		return "" // somebody else was faster
	}
	if now := h.otherName(d, id); now != other {
		other, still = now, true // it has just been watched
	}
	return h.renew(d, id, why, other, still)
}

// note returns the directory at path, in which l is from now on, or nil when l has left.
func (h *Hub) note(l listener, path string) *directory {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.listeners[l] {
		return nil
	}
	d := h.dirs[path]
	if d == nil {
		d = &directory{path: path}
		h.dirs[path] = d
	}
	if !slices.Contains(d.in, l) {
		d.in = append(d.in, l)
	}
	return d
}

// isWatched reports whether there is nothing to do for d. id is of what is at the path of d.
func (h *Hub) isWatched(d *directory, id identity) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return d.watched && d.id.same(id)
}

// remove ends what l hears of the directory at path, and its watch if nobody else needs it. It does
// not wait for the disk.
func (h *Hub) remove(l listener, path string) {
	h.changing.Lock()
	defer h.changing.Unlock()
	h.mu.Lock()
	d := h.dirs[path]
	if d != nil {
		d.in = slices.DeleteFunc(d.in, func(other listener) bool { return other == l })
	}
	unused := d != nil && len(d.in) == 0
	if unused {
		delete(h.dirs, path)
		h.letGo(d)
	}
	h.mu.Unlock()
	if unused && h.backend != nil {
		_ = h.backend.Remove(path) // it may be gone, or never watched
	}
}

// letGo notes that the backend has no watch for d. The caller holds changing and mu.
func (h *Hub) letGo(d *directory) {
	if h.held[d.id] == d {
		delete(h.held, d.id)
	}
	d.watched = false
}

// renew sets the watch of d anew, and returns why it must be polled instead. why says that it cannot be
// watched, if it cannot. other is the same directory under the name by which it is watched, if it is;
// still says whether it is still there. The caller holds changing and has asked the disk before.
func (h *Hub) renew(d *directory, id identity, why string, other *directory, still bool) string {
	if why != "" {
		h.say(why, why, zap.String("folder", d.path))
	} else if why = h.open(); why == "" && other != nil {
		why = h.takeOver(other, still)
	}
	// It counts as watched before the watch is set, so that an event that ends the watch
	// comes after this.
	h.mu.Lock()
	before := h.held[d.id] == d
	h.letGo(d)
	d.id = id
	if why == "" {
		d.watched = true
		h.held[id] = d
	}
	h.mu.Unlock()
	if before && h.backend != nil {
		// fsnotify keeps watches by path: the watch on what was there before must go, or it
		// leaks in the system.
		_ = h.backend.Remove(d.path)
	}
	if why != "" {
		return why
	}
	err := h.backend.Add(d.path)
	if err == nil {
		return ""
	}
	h.mu.Lock()
	h.letGo(d)
	h.mu.Unlock()
	if isLimit(err) {
		return h.limited(err)
	}
	return fmt.Sprintf("it cannot be watched: %v", err)
}

// open opens the backend if it is not open, and says why it cannot be; "" when it is. The caller holds
// changing.
func (h *Hub) open() (why string) {
	if h.ended {
		return "the watcher has ended"
	}
	if h.backend != nil {
		return ""
	}
	b, events, failures, err := h.env.open()
	if err != nil {
		return h.limited(err)
	}
	h.backend = b
	h.receiver.Go(func() { h.receive(events, failures) })
	return ""
}

// otherName returns the directory by whose name d is watched already, if it is. inotify has one
// watch for one directory, and fsnotify one name for one watch. The other name may be a
// bind mount, or an old name of the directory.
func (h *Hub) otherName(d *directory, id identity) *directory {
	h.mu.Lock()
	defer h.mu.Unlock()
	if other := h.held[id]; other != d {
		return other
	}
	return nil
}

// isThere reports whether the directory id is still at path, and not by way of a link. It asks the disk.
func isThere(path string, id identity) bool {
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && identify(now).same(id)
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
	other.tell("", 0, true)
	return ""
}

// limited notes that the system gives no more watches. The caller holds changing.
func (h *Hub) limited(err error) string {
	why := fmt.Sprintf("the system gives no more file watches (%v); %s", err, advice(err))
	h.say("limit", why)
	return why
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
