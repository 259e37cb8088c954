package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// Bounds of what is kept of servers.
const (
	maxKept      = 4 << 20 // bytes of a file; a larger catalog is not kept
	maxKeptFiles = 500     // those that were written longest ago go
	maxKeptReads = 8       // files that are read at a time
)

// What has changed is written when it has been quiet for keptQuiet, at the latest after keptLatest. So a
// server costs a write in keptQuiet at most.
const (
	keptQuiet  = 2 * time.Second
	keptLatest = 5 * time.Second
)

// catalogs keeps on disk what servers offered last, so that it is known before they run: a file for
// each, which only this user can read. It is safe for concurrent use.
//
// Invariants:
//
//   - Nothing but read waits for the disk, and nobody holds a lock meanwhile.
//   - What cannot be read or written is as if it had not been kept. Servers run all the same.
type catalogs struct {
	dir     string
	log     *zap.Logger
	reading chan struct{} // holds one for each file that is being read
	writing *debounce.Debouncer

	mu      sync.Mutex             // guards waiting; taken after d.mu
	waiting map[string]keptContent // to be written, by name of the file
}

// keptContent is what is to be written of a server.
type keptContent struct {
	name   string // of the file
	server string
	offers *offered // nil for a server that was tried in vain
}

// kept is what a file says of a server.
type kept struct {
	name   string   // of the file
	tried  bool     // it has run, or was tried in vain
	offers *offered // nil when that is unknown
}

func newCatalogs(dir string, log *zap.Logger) *catalogs {
	k := &catalogs{dir: dir, log: log, waiting: map[string]keptContent{}}
	k.reading = make(chan struct{}, maxKeptReads)
	k.writing = debounce.New(keptQuiet, keptLatest, k.write)
	return k
}

func (k *catalogs) path(name string) string { return filepath.Join(k.dir, name+".json") }

// read returns what is kept under a name. It waits for the disk.
func (k *catalogs) read(name string) kept {
	k.reading <- struct{}{}
	defer func() { <-k.reading }()
	found := k.load(k.path(name))
	found.name = name
	return found
}

// load reads a file. One that is damaged counts as absent, and is removed.
func (k *catalogs) load(path string) (found kept) {
	content, err := readKept(path)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{}
	}
	if err == nil {
		found.offers, err = decodeKept(content)
	}
	if err != nil {
		k.log.Warn("what a server offered cannot be read, so it is forgotten", zap.String("file", path), zap.Error(err))
		k.remove(path)
		return kept{}
	}
	found.tried = true
	return found
}

func readKept(path string) ([]byte, error) {
	content, err := safeopen.Read(path, maxKept)
	if err == nil && len(content) > maxKept {
		err = fmt.Errorf("it is over %d MiB", maxKept>>20)
	}
	return content, err
}

// note has what is to be kept of c written soon. d.mu is held.
func (k *catalogs) note(c *connection) {
	content := keptContent{name: c.keptName, server: c.name}
	if c.said != nil {
		content.offers = c.own()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if content.offers == nil && k.waiting[content.name].offers != nil {
		return // another connection has run the same server, and this one has failed to
	}
	k.waiting[content.name] = content
	k.writing.Trigger()
}

// write writes what waits.
func (k *catalogs) write() {
	k.mu.Lock()
	waiting := k.waiting
	k.waiting = map[string]keptContent{}
	k.mu.Unlock()
	written := false
	for _, content := range waiting {
		written = k.keep(content) || written
	}
	if written {
		k.prune()
	}
}

// keep writes the file of a server, unless nothing is to be said, and reports whether it did.
func (k *catalogs) keep(content keptContent) bool {
	path := k.path(content.name)
	log := k.log.With(zap.String("server", content.server))
	found := k.load(path)
	if content.offers == nil && found.tried {
		return false // what it offered before it failed is still the last that is known
	}
	if content.offers != nil && content.offers.size() > maxKept {
		log.Warn("what the server offers is too large to be kept, so it is known only while the server runs", zap.Int("limit", maxKept))
		k.remove(path)
		return false
	}
	after := encodeKept(content.server, content.offers, found.offers)
	err := ipc.EnsureStateDir(k.dir)
	if err == nil {
		err = atomicfile.Write(path, after)
	}
	if err != nil {
		log.Warn("keeping what the server offers", zap.Error(err))
		return false
	}
	log.Debug("kept what the server offers", zap.String("file", path), zap.Int("bytes", len(after)))
	return true
}

// prune removes files beyond maxKeptFiles, those first that were written longest ago. What a crash has
// left of others counts, and goes like them.
func (k *catalogs) prune() {
	if err := atomicfile.Prune(k.dir, "", maxKeptFiles); err != nil {
		k.log.Warn("removing what servers offered long ago", zap.Error(err))
	}
}

func (k *catalogs) remove(path string) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.log.Warn("removing what a server offered", zap.Error(err))
	}
}

// close writes what has changed, but waits no longer than patience.
func (k *catalogs) close() {
	if !endsIn(patience, func() {
		k.writing.Stop()
		k.write()
	}) {
		k.log.Warn("ending, though what servers offer is not written", zap.Duration("waited", patience))
	}
}
