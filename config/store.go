package config

import (
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/fswatch"
)

// How long changes are collected before the files are read again. An editor that
// saves deletes, writes and renames within milliseconds.
const (
	reloadQuiet = 100 * time.Millisecond
	reloadMax   = time.Second
)

// A Store keeps the user's file and the files of the open workspace folders as
// the disk has them. It is made by [NewStore]; its methods are safe for
// concurrent use.
//
// A file that is gone has no servers. A file that does not parse keeps
// its last good servers and inputs and shows the problem.
//
// Lock order: reading, mu.
type Store struct {
	log    *zap.Logger
	watch  func(changed func(), paths ...string) watch
	reload *debounce.Debouncer
	user   *tracked
	ofUser watch

	reading sync.Mutex // held while files are read, so that what was read last is what is kept

	mu          sync.Mutex // guards the fields that follow and [tracked.file]
	folders     map[string]*folderFiles
	subscribers map[int]func()
	next        int // the key of the next subscriber
}

// watch is what the Store needs of a [fswatch.Watch].
type watch interface{ Close() }

// folderFiles are the files of one workspace folder.
type folderFiles struct {
	files []*tracked
	watch watch
	opens int // how many Workspaces there are
}

// NewStore reads the user's file and begins to watch it. userFile is absolute and
// need not exist. The Store is ended by [Store.Close], the hub by its owner, later.
func NewStore(userFile string, hub *fswatch.Hub, log *zap.Logger) *Store {
	return newStore(userFile, func(changed func(), paths ...string) watch {
		return hub.Watch(changed, paths...)
	}, log)
}

func newStore(userFile string, watch func(func(), ...string) watch, log *zap.Logger) *Store {
	s := &Store{
		log:         log,
		watch:       watch,
		user:        track(userFile, Source{Trusted: true}),
		folders:     map[string]*folderFiles{},
		subscribers: map[int]func(){},
	}
	s.reload = debounce.New(reloadQuiet, reloadMax, s.readAll)
	s.ofUser = watch(s.reload.Trigger, s.user.path) // before it is read: nothing falls between
	s.reading.Lock()
	defer s.reading.Unlock()
	s.read(s.user)
	return s
}

// User returns the user's file; one without servers when there is none. It is
// not to be changed.
func (s *Store) User() *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.user.file == nil {
		return &File{Source: s.user.source}
	}
	return s.user.file
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

// Open returns the files of a workspace folder, read now when the folder is not
// open yet, and watched until every Workspace of it is closed. folder is an
// absolute path.
func (s *Store) Open(folder string) *Workspace {
	folder = filepath.Clean(folder)
	// Held throughout, so that a second Open does not return before the files are read.
	s.reading.Lock()
	defer s.reading.Unlock()
	w := &Workspace{store: s, folder: folder}
	s.mu.Lock()
	w.files = s.folders[folder]
	if w.files != nil {
		w.files.opens++
	}
	s.mu.Unlock()
	if w.files != nil {
		return w
	}

	w.files = &folderFiles{opens: 1}
	var paths []string
	for _, name := range []string{".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"} {
		t := track(filepath.Join(folder, filepath.FromSlash(name)), Source{Folder: folder})
		w.files.files = append(w.files.files, t)
		paths = append(paths, t.path)
	}
	w.files.watch = s.watch(s.reload.Trigger, paths...)
	for _, t := range w.files.files {
		s.read(t)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders[folder] = w.files
	return w
}

// Close ends all watching. Subscribers have returned and are not called again.
// Files stay readable as they are; nothing may be opened any more.
func (s *Store) Close() {
	s.ofUser.Close()
	s.mu.Lock()
	folders := slices.Collect(maps.Values(s.folders))
	s.mu.Unlock()
	for _, f := range folders {
		f.watch.Close()
	}
	s.reload.Stop()
}

// A Workspace is one user's hold on the files of a workspace folder. It is made
// by [Store.Open].
type Workspace struct {
	store  *Store
	folder string
	files  *folderFiles
	once   sync.Once
}

// Files returns those of the folder's files that exist, in the order .mcp.json,
// .vscode/mcp.json, .cursor/mcp.json. They are not to be changed.
func (w *Workspace) Files() []*File {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	var files []*File
	for _, t := range w.files.files {
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
	w.files.opens--
	last := w.files.opens == 0
	if last {
		delete(s.folders, w.folder)
	}
	s.mu.Unlock()
	if last {
		w.files.watch.Close()
	}
}

// readAll reads every file again and tells the subscribers when one of them is
// another than before. It runs on the goroutine of reload.
func (s *Store) readAll() {
	if !s.readChanges() {
		return
	}
	s.mu.Lock()
	var subscribers []func()
	for _, key := range slices.Sorted(maps.Keys(s.subscribers)) {
		subscribers = append(subscribers, s.subscribers[key])
	}
	s.mu.Unlock()
	for _, changed := range subscribers {
		changed()
	}
}

func (s *Store) readChanges() (changed bool) {
	s.reading.Lock()
	defer s.reading.Unlock()
	files := []*tracked{s.user}
	s.mu.Lock()
	for _, folder := range slices.Sorted(maps.Keys(s.folders)) {
		files = append(files, s.folders[folder].files...)
	}
	s.mu.Unlock()
	for _, t := range files {
		if s.read(t) {
			changed = true
		}
	}
	return changed
}

// read reads one file and tells whether it is another than before. Called with
// reading held.
func (s *Store) read(t *tracked) (changed bool) {
	file, changed := t.read()
	if !changed {
		return false
	}
	s.mu.Lock()
	t.file = file
	s.mu.Unlock()
	if file == nil {
		s.log.Info("configuration file is gone", zap.String("file", t.source.URI))
		return true
	}
	s.log.Info("configuration file read", zap.String("file", t.source.URI), zap.Int("servers", len(file.Servers)), zap.Bool("broken", file.Broken))
	for _, p := range file.Problems {
		s.log.Warn("configuration problem", zap.String("file", p.URI), zap.Int("line", p.Line),
			zap.Int("column", p.Column), zap.String("severity", p.Severity), zap.String("problem", p.Message))
	}
	return true
}

// track returns a file of the Store that was not read yet.
func track(path string, source Source) *tracked {
	source.URI = fileuri.FromPath(path)
	return &tracked{path: path, source: source}
}
