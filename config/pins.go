package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// Limits of what is kept of tools.
const (
	maxPinFiles      = 500      // servers; those used longest ago are forgotten
	maxPinBytes      = 16 << 20 // of the file of a server; a new tool that does not fit counts as changed
	maxPinDefinition = 64 << 10 // of a tool; of a larger one only the hash is kept
	maxPinHashes     = 16       // definitions of a tool that somebody has accepted; the oldest are forgotten
	maxPinDenied     = 100      // questions that somebody has answered with no
	pinFileSuffix    = ".json"
)

// PinnedTool is a tool as agents get it.
type PinnedTool struct {
	Name       string
	Hash       string          // of the definition
	Definition json.RawMessage // in canonical form
}

// PinChange is a tool that is not as it was accepted.
type PinChange struct {
	Before json.RawMessage // as it was accepted last; nil where that was too large to keep
	After  PinnedTool
}

// Pins remembers the tools of servers as they were seen first and as somebody has accepted them since,
// in a file for each server that only this user can read. Servers are named by an id, in hex. Its methods
// are safe for concurrent use, and may wait for the disk. A damaged file is moved aside, and its
// server begins anew.
type Pins struct {
	dir string

	mu      sync.Mutex          // guards what follows, and the files
	unsaved map[string]*pinFile // by server: what could not be written, until the daemon ends
}

// pinFile is the content of the file of one server.
type pinFile struct {
	Version int             `json:"version"` // 1
	Tools   map[string]*pin `json:"tools"`
	Denied  []string        `json:"denied,omitempty"` // digests, the oldest first
}

type pin struct {
	Definition json.RawMessage `json:"definition,omitempty"` // as accepted last
	Hashes     []string        `json:"hashes"`               // of all that were accepted, the last one last
}

// OpenPins opens the folder at dir, and makes it for this user alone.
func OpenPins(dir string) (*Pins, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the known tools: %w", err)
	}
	return &Pins{dir: dir, unsaved: map[string]*pinFile{}}, nil
}

// Compare returns which tools differ from what was accepted, and accepts those that are new, as long as
// there is room: a server could name others all the time. An error means that they are known until the daemon ends only.
func (p *Pins) Compare(server string, tools []PinnedTool) ([]PinChange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := p.load(server)
	var changes []PinChange
	size, added := 0, false
	for name, known := range f.Tools {
		size += sizeOf(name, known)
	}
	for _, tool := range tools {
		known := f.Tools[tool.Name]
		switch {
		case known == nil && size+sizeOf(tool.Name, newPin(tool)) <= maxPinBytes:
			f.accept(tool)
			size += sizeOf(tool.Name, f.Tools[tool.Name])
			added = true
		case known == nil:
			changes = append(changes, PinChange{nil, tool})
		case !slices.Contains(known.Hashes, tool.Hash):
			changes = append(changes, PinChange{known.Definition, tool})
		}
	}
	if added {
		err = errors.Join(err, p.save(server, f))
	}
	return changes, err
}

// Accept makes tools the ones that somebody has accepted.
func (p *Pins) Accept(server string, tools []PinnedTool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := p.load(server)
	for _, tool := range tools {
		f.accept(tool)
	}
	return errors.Join(err, p.save(server, f))
}

// Deny remembers that somebody said no to the question with this digest.
func (p *Pins) Deny(server, digest string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := p.load(server)
	f.Denied = append(slices.DeleteFunc(f.Denied, func(d string) bool { return d == digest }), digest)
	f.Denied = f.Denied[max(0, len(f.Denied)-maxPinDenied):]
	return errors.Join(err, p.save(server, f))
}

// Denied reports whether somebody said no to the question with this digest.
func (p *Pins) Denied(server, digest string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, _ := p.load(server)
	return slices.Contains(f.Denied, digest)
}

func (f *pinFile) accept(tool PinnedTool) {
	accepted := newPin(tool)
	if known := f.Tools[tool.Name]; known != nil {
		accepted.Hashes = append(slices.DeleteFunc(known.Hashes, func(h string) bool { return h == tool.Hash }), tool.Hash)
		accepted.Hashes = accepted.Hashes[max(0, len(accepted.Hashes)-maxPinHashes):]
	}
	f.Tools[tool.Name] = accepted
}

// newPin returns what is kept of a tool that is accepted for the first time.
func newPin(tool PinnedTool) *pin {
	p := &pin{Hashes: []string{tool.Hash}}
	if len(tool.Definition) <= maxPinDefinition {
		p.Definition = tool.Definition
	}
	return p
}

// sizeOf returns about how many bytes a tool takes in the file.
func sizeOf(name string, p *pin) int {
	n := len(rawjson.Quote(name)) + len(`:{"definition":,"hashes":[]},`) + len(p.Definition)
	for _, hash := range p.Hashes {
		n += len(hash) + len(`"",`)
	}
	return n
}

func (p *Pins) path(server string) string { return filepath.Join(p.dir, server+pinFileSuffix) }

// load returns what is known of a server, never nil. p.mu is held.
func (p *Pins) load(server string) (*pinFile, error) {
	if f := p.unsaved[server]; f != nil {
		return f, nil
	}
	f := &pinFile{Version: 1, Tools: map[string]*pin{}}
	path := p.path(server)
	content, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, fmt.Errorf("reading the known tools: %w", err)
	}
	read := &pinFile{}
	if json.Unmarshal(content, read) == nil && read.Version == 1 && read.Tools != nil && !slices.Contains(slices.Collect(maps.Values(read.Tools)), nil) {
		return read, nil
	}
	if err = os.Rename(path, path+".damaged"); err == nil { // replaces an older one
		err = fmt.Errorf("the file of the known tools was damaged and is now %q", path+".damaged")
	}
	return f, err
}

// save writes what is known of a server. p.mu is held.
func (p *Pins) save(server string, f *pinFile) error {
	p.unsaved[server] = f
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetEscapeHTML(false) // or it would be larger than its parts
	if err := encoder.Encode(f); err != nil {
		return err
	}
	if content.Len() > 2*maxPinBytes { // somebody has accepted that much
		return fmt.Errorf("remembering tools: they take %d bytes, over the limit of %d", content.Len(), 2*maxPinBytes)
	}
	if err := atomicfile.Write(p.path(server), content.Bytes()); err != nil {
		return fmt.Errorf("remembering tools: %w", err)
	}
	delete(p.unsaved, server)
	return atomicfile.Prune(p.dir, pinFileSuffix, maxPinFiles)
}
