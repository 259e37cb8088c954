package config

import (
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
)

// How long changes are collected before the files are read again. An editor that
// saves deletes, writes and renames within milliseconds.
const (
	reloadQuiet = 100 * time.Millisecond
	reloadMax   = time.Second
)

// A Store keeps the user's file and the files of the open workspace folders as
// the disk has them. [NewStore] makes one; its methods are safe for
// concurrent use, and none but NewStore waits for the disk. It reads each folder by itself, so
// a folder that hangs, or whose files take long, holds up only those who wait for it
// ([Workspace.Read]).
//
// A missing file has no servers. A file that does not parse keeps
// its last good servers and inputs and shows the problem.
type Store struct {
	log     *zap.Logger
	watch   func(changed func(), paths ...string) watch
	disk    func(path string) ([]byte, error) // reads a file; tests replace it
	user    *group
	telling *rerun.Runner // runs tell

	mu      sync.Mutex // guards the fields that follow and those of groups; never held while files are read and parsed, nor while changed runs
	folders map[string]*group
	changed func() // who hears of changes; nil for nobody
}

// watch is what the Store needs of a [fswatch.Watch].
type watch interface{ Close() }

// NewStore reads the user's file and begins to watch it. userFile is absolute and
// need not exist. [Store.Close] ends the Store; the owner of the hub ends that, later.
func NewStore(userFile string, hub *fswatch.Hub, log *zap.Logger) *Store {
	return newStore(userFile, func(changed func(), paths ...string) watch {
		return hub.Watch(changed, paths...)
	}, readRegular, log)
}

func newStore(userFile string, watch func(func(), ...string) watch, disk func(string) ([]byte, error), log *zap.Logger) *Store {
	s := &Store{log: log, watch: watch, disk: disk, folders: map[string]*group{}}
	s.telling = rerun.New(s.tell)
	s.user = s.newGroup("", track(userFile, Source{Trusted: true}))
	s.user.opens = 1
	<-s.user.reading.Again()
	return s
}

// User returns the user's file, or one without servers when there is none. Do not change it.
func (s *Store) User() *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	user := s.user.files[0]
	if user.file == nil {
		return &File{Source: user.source}
	}
	return user.file
}

// ReadUser has the user's file read again, and returns a channel that closes at the first reading that begins
// from now on: who has just written the file need not wait until that is noticed. On a disk that hangs, it never
// closes.
func (s *Store) ReadUser() <-chan struct{} { return s.user.reading.Again() }

// Subscribe has changed called, and nobody else, after the content of any file has changed: once for
// a burst of changes, never concurrently with itself, and not for changes
// that leave the bytes as they were. changed must not call [Store.Close].
func (s *Store) Subscribe(changed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// Open returns the files of a workspace folder. It begins to read them, and watches them until
// every Workspace of the folder is closed. folder is an absolute path.
func (s *Store) Open(folder string) *Workspace {
	folder = filepath.Clean(folder)
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.folders[folder]
	if g == nil {
		var files []*tracked
		for _, name := range []string{".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"} {
			files = append(files, track(filepath.Join(folder, filepath.FromSlash(name)), Source{Folder: folder}))
		}
		g = s.newGroup(folder, files...)
		s.folders[folder] = g
	}
	w := &Workspace{store: s, group: g, real: folder}
	g.opens++
	g.opened = append(g.opened, w)
	w.read = g.reading.Again()
	return w
}

// Close ends all watching. When it returns, who subscribed has returned too and is not called
// again. Files stay readable as they are; nothing may be opened any more.
func (s *Store) Close() {
	s.Subscribe(nil)
	s.mu.Lock()
	groups := append(slices.Collect(maps.Values(s.folders)), s.user)
	s.mu.Unlock()
	for _, g := range groups {
		g.end()
	}
	<-s.telling.Again()
}

// tell says that a file has changed.
func (s *Store) tell() {
	s.mu.Lock()
	changed := s.changed
	s.mu.Unlock()
	if changed != nil {
		changed()
	}
}

// A Workspace is one caller's hold on the files of a workspace folder. [Store.Open] makes one.
type Workspace struct {
	store *Store
	group *group

	// Guarded by Store.mu.
	real string
	read <-chan struct{} // see Read
}

// Read returns a channel that closes at the first reading of the folder after it was opened, or after the last call of
// [Workspace.Reread]. On a disk that hangs, it never does.
func (w *Workspace) Read() <-chan struct{} {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return w.read
}

// Reread has the files read again: who has just written one need not wait until that is noticed.
func (w *Workspace) Reread() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.read = w.group.reading.Again()
}

// Real returns the path of the folder, with symbolic links resolved as they were when it was
// opened. Until the first reading it returns the path that was given to [Store.Open].
func (w *Workspace) Real() string {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return w.real
}

// Files returns the files of the folder that exist, in the order .mcp.json,
// .vscode/mcp.json, .cursor/mcp.json. There are none until the first reading. Do not change them.
func (w *Workspace) Files() []*File {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	var files []*File
	for _, t := range w.group.files {
		if t.file != nil {
			files = append(files, t.file)
		}
	}
	return files
}

// Close gives up the hold, once. The Store watches the files until nobody holds them.
func (w *Workspace) Close() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	g := w.group
	g.opens--
	g.opened = slices.DeleteFunc(g.opened, func(other *Workspace) bool { return other == w })
	if g.opens == 0 {
		g.reading.Again() // forgets g: a folder that hangs is never read twice at a time
	}
}
