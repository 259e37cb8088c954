package fswatch

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// removedAtOnce is how many watches end while others wait for a change of what is watched.
const removedAtOnce = 64

// A Folders watches many folders for an owner that reads their entries: it says in which of them
// something may have changed. Where a Watch follows paths, the owner of a Folders goes from folder
// to folder by itself, so it costs little for each: no goroutine, and no look at any other folder.
// [Hub.Folders] makes one; its methods are safe for concurrent use. Only [Folders.Add] waits for
// the disk.
type Folders struct {
	hub    *Hub
	hinted func()

	// Guarded by Hub.mu.
	hints  Hints
	closed bool
}

// Hints are what may have changed since the last [Folders.Take].
type Hints struct {
	All bool // every folder: events were lost. Add each again

	// Folders are the folders in which entries may have come, gone or been renamed, by path. Where the
	// value is true, another folder may be there now, and below it nothing is certain: add it again.
	Folders map[string]bool
}

// Folders returns a Folders without folders. It calls hinted when there is something to take, for
// every event: hinted must not block, and must not call the Hub.
func (h *Hub) Folders(hinted func()) *Folders {
	f := &Folders{hub: h, hinted: hinted, hints: Hints{Folders: map[string]bool{}}}
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.closed = h.closed; !f.closed {
		h.folders[f] = true
	}
	return f
}

// Add watches the folder at path, which is absolute and has no symbolic links, and returns why it
// must be polled instead; "" when it is watched. What changes in it after Add has returned is
// hinted at. Adding a folder again renews its watch if it has ended, or if another folder is at path
// now. Add may take as long as the disk does.
func (f *Folders) Add(path string) (why string) {
	h := f.hub
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	if !info.IsDir() {
		return fmt.Sprintf("%q is not a folder", path)
	}
	d, why := f.note(path)
	if d == nil {
		return why
	}
	if h.ensure(d, identify(info)) {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return d.why
}

// note returns the directory at path, which is in f from now on, or why it cannot be.
func (f *Folders) note(path string) (d *directory, why string) {
	h := f.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.closed {
		return nil, "the watcher has ended"
	}
	d = h.dirs[path]
	if d != nil && slices.Contains(d.in, f) {
		return d, ""
	}
	if d == nil || len(d.in) == 0 {
		if h.taken >= h.most && (h.mostAt.IsZero() || time.Since(h.mostAt) >= h.env.retryAfter) {
			h.most, h.mostAt = h.env.maxFolders(), time.Now()
		}
		if h.taken >= h.most {
			return nil, fmt.Sprintf("there are watches for %d folders and not more; %s", h.most, adviceForFolders)
		}
		h.taken++
	}
	d = h.directoryAt(path)
	d.in = append(d.in, f)
	return d, ""
}

// Remove ends the watches of folders that the owner does not need any more. It does not wait for
// the disk.
func (f *Folders) Remove(paths ...string) {
	h := f.hub
	for some := range slices.Chunk(paths, removedAtOnce) {
		h.remove(f, some)
	}
}

func (h *Hub) remove(f *Folders, paths []string) {
	h.changing.Lock()
	defer h.changing.Unlock()
	var unused []string
	h.mu.Lock()
	for _, path := range paths {
		delete(f.hints.Folders, path)
		d := h.dirs[path]
		if d == nil {
			continue
		}
		i := slices.Index(d.in, f)
		if i < 0 {
			continue
		}
		if d.in = slices.Delete(d.in, i, i+1); len(d.in) == 0 {
			h.taken--
		}
		unused = h.forgetUnused(d, unused)
	}
	h.mu.Unlock()
	h.end(unused)
}

// Take returns what may have changed since the last call.
func (f *Folders) Take() Hints {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	hints := f.hints
	f.hints = Hints{Folders: map[string]bool{}}
	return hints
}

// Close ends all watches, a moment after it has returned. From then on hinted is not called.
func (f *Folders) Close() {
	h := f.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	delete(h.folders, f)
	go func() {
		var paths []string
		h.mu.Lock()
		for path, d := range h.dirs {
			if slices.Contains(d.in, f) {
				paths = append(paths, path)
			}
		}
		h.mu.Unlock()
		f.Remove(paths...)
	}()
}

// hint notes that something may have changed in the folder at path, or that another one is there.
// The caller holds Hub.mu.
func (f *Folders) hint(path string, another bool) {
	if f.closed {
		return
	}
	if !f.hints.All {
		f.hints.Folders[path] = another || f.hints.Folders[path]
	}
	f.hinted()
}

// lose notes that everything may have changed. The caller holds Hub.mu.
func (f *Folders) lose() {
	if !f.closed {
		f.hints = Hints{All: true, Folders: map[string]bool{}}
		f.hinted()
	}
}
