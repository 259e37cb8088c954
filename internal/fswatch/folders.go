package fswatch

import (
	"fmt"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

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
	if !h.join(f) {
		f.closed = true
	}
	return f
}

// Add watches the folder at path, which is absolute and has no symbolic links, and returns why it
// must be polled instead; "" when it is watched. What changes in it after Add has returned is
// hinted at. Adding a folder again renews its watch if it has ended, or if another folder is at path
// now. Add may take as long as the disk does.
func (f *Folders) Add(path string) (why string) {
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	if !info.IsDir() {
		return fmt.Sprintf("%q is not a folder", path)
	}
	if why := f.full(path); why != "" {
		return why
	}
	return f.hub.add(f, path, info)
}

// full bounds the folders that are watched for all Folders. What is watched already costs nothing.
func (f *Folders) full(path string) (why string) {
	h := f.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dirs[path] != nil || len(h.dirs) < h.most {
		return ""
	}
	if time.Since(h.mostAt) >= h.env.pollEvery { // somebody may have raised it
		h.most, h.mostAt = h.env.maxFolders(), time.Now()
	}
	if len(h.dirs) < h.most {
		return ""
	}
	return fmt.Sprintf("there are watches for %d folders and not more; %s", h.most, adviceForFolders)
}

// Remove ends the watch of a folder that the owner does not need any more. It does not wait for
// the disk.
func (f *Folders) Remove(path string) {
	f.hub.remove(f, path)
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	delete(f.hints.Folders, path)
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
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	if !f.closed {
		f.closed = true
		go f.hub.leave(f)
	}
}

// hear notes that something may have changed in the folder at dir. What is in a file does not matter.
func (f *Folders) hear(dir, name string, op fsnotify.Op, another bool) {
	if f.closed || name != "" && op&^(fsnotify.Write|fsnotify.Chmod) == 0 {
		return
	}
	if !f.hints.All {
		f.hints.Folders[dir] = another || f.hints.Folders[dir]
	}
	f.hinted()
}

func (f *Folders) lose() {
	if !f.closed {
		f.hints = Hints{All: true, Folders: map[string]bool{}}
		f.hinted()
	}
}
