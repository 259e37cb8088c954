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
// the disk has them. It is made by [NewStore]; its methods are safe for
// concurrent use, and none but NewStore waits for the disk: each folder is read by itself, so that
// one that hangs, or whose files take long, holds up nobody who does not wait for it
// ([Workspace.Read]).
//
// A file that is gone has no servers. A file that does not parse keeps
// its last good servers and inputs and shows the problem.
type Store struct {
	log     *zap.Logger
	watch   func(changed func(), paths ...string) watch
	disk    func(path string) ([]byte, error) // reads a file; tests replace it
	user    *group
	telling *rerun.Runner // runs tell

	mu          sync.Mutex // guards the fields that follow and those of groups; held neither while files are read and parsed nor while subscribers run
	folders     map[string]*group
	subscribers map[int]func()
	next        int // the key of the next subscriber
	closed      bool
}

// watch is what the Store needs of a [fswatch.Watch].
type watch interface{ Close() }

// NewStore reads the user's file and begins to watch it. userFile is absolute and
// need not exist. The Store is ended by [Store.Close], the hub by its owner, later.
func NewStore(userFile string, hub *fswatch.Hub, log *zap.Logger) *Store {
	return newStore(userFile, func(changed func(), paths ...string) watch {
		return hub.Watch(changed, paths...)
	}, readRegular, log)
}

func newStore(userFile string, watch func(func(), ...string) watch, disk func(string) ([]byte, error), log *zap.Logger) *Store {
	s := &Store{
		log:         log,
		watch:       watch,
		disk:        disk,
		folders:     map[string]*group{},
		subscribers: map[int]func(){},
	}
	s.telling = rerun.New(s.tell)
	s.user = s.newGroup("", track(userFile, Source{Trusted: true}))
	s.user.opens = 1
	<-s.user.reading.Again()
	return s
}

// User returns the user's file; one without servers when there is none. It is
// not to be changed.
func (s *Store) User() *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	user := s.user.files[0]
	if user.file == nil {
		return &File{Source: user.source}
	}
	return user.file
}

// Subscribe has changed called after the content of any file has changed: once for
// a burst of changes, not concurrently with itself, and not for changes
// that leave the bytes as they were. It may still be running when cancel returns. changed
// must not call [Store.Close].
func (s *Store) Subscribe(changed func()) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.next
	s.next++
	s.subscribers[key] = changed
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subscribers, key)
	}
}

// Open returns the files of a workspace folder, which are read now, and watched until every
// Workspace of it is closed. folder is an absolute path.
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

// Close ends all watching. Subscribers have returned and are not called again.
// Files stay readable as they are; nothing may be opened any more.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	groups := append(slices.Collect(maps.Values(s.folders)), s.user)
	s.mu.Unlock()
	for _, g := range groups {
		g.end()
	}
	<-s.telling.Again()
}

// tell calls the subscribers.
func (s *Store) tell() {
	s.mu.Lock()
	var subscribers []func()
	for _, key := range slices.Sorted(maps.Keys(s.subscribers)) {
		if !s.closed {
			subscribers = append(subscribers, s.subscribers[key])
		}
	}
	s.mu.Unlock()
	for _, changed := range subscribers {
		changed()
	}
}

// A Workspace is one user's hold on the files of a workspace folder. It is made
// by [Store.Open].
type Workspace struct {
	store *Store
	group *group
	read  <-chan struct{} // closed when it was read after it was opened
	once  sync.Once

	real string // guarded by Store.mu
}

// Read returns a channel that is closed when the folder was read after it was opened. On a disk
// that hangs that is never.
func (w *Workspace) Read() <-chan struct{} { return w.read }

// Real returns the path of the folder with symbolic links resolved when it was opened; until it was
// read, the path that it was opened by.
func (w *Workspace) Real() string {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return w.real
}

// Files returns those of the folder's files that exist, in the order .mcp.json,
// .vscode/mcp.json, .cursor/mcp.json; none until the folder was read. They are not to be changed.
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

// Close gives up the hold. The files are watched until nobody holds them. Calling
// it again does nothing.
func (w *Workspace) Close() { w.once.Do(func() { w.store.release(w) }) }

func (s *Store) release(w *Workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := w.group
	g.opens--
	g.opened = slices.DeleteFunc(g.opened, func(other *Workspace) bool { return other == w })
	if g.opens == 0 {
		g.reading.Again() // finds it so: a folder that hangs is not read twice at a time
	}
}
