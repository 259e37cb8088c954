package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// tracked is one file of a [Store].
type tracked struct {
	path   string
	source Source // without Resolved
	last   state  // used only by the reader of the group
	file   *File  // nil when there is no file; guarded by Store.mu, written only by the reader of the group
}

// state is what was on the disk. The zero state means that there was nothing.
type state struct {
	exists   bool
	resolved string // the path without symbolic links; "" when that is the path itself
	content  [sha256.Size]byte
	fault    string // why it cannot be read, "" when it can
}

// track returns a file of a [Store] that is not read yet.
func track(path string, source Source) *tracked {
	source.URI = fileuri.FromPath(path)
	return &tracked{path: path, source: source}
}

// read reads the file again, and parses it if it has changed. If not, changed is false. If it
// has, file is what to keep from now on, nil when the file is gone.
func (t *tracked) read(disk func(path string) ([]byte, error)) (file *File, changed bool) {
	now := state{exists: true}
	data, err := disk(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // .vscode may be a file
		now = state{}
	case err != nil:
		now.fault = fault(err)
	default:
		now.content = sha256.Sum256(data)
		now.resolved = t.resolve()
	}
	if now == t.last {
		return nil, false
	}
	t.last = now
	if !now.exists {
		return nil, true
	}

	source := t.source
	source.Resolved = now.resolved
	if now.fault == "" {
		file = ParseFile(data, source)
	} else {
		doc := newDocument(source)
		doc.whole(now.fault)
		file = &File{Source: source, Problems: doc.problems, Broken: true}
	}
	if good := t.file; file.Broken && good != nil {
		kept := *good
		kept.Broken, kept.Problems, kept.content = true, file.Problems, file.content
		kept.Places, kept.Repeats = nil, false // of its text
		file = &kept
	}
	return file, true
}

// resolve returns the path of the file without symbolic links, "" when that is its path.
func (t *tracked) resolve() string {
	resolved, err := filepath.EvalSymlinks(t.path)
	if err != nil || resolved == t.path {
		return "" // if it has just gone, another event follows
	}
	return resolved
}

// fault says what to do about a file that cannot be read.
func fault(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "you may not read the file; give yourself read permission"
	}
	if errors.Is(err, safeopen.ErrNotRegular) {
		return "this is not a regular file; put a file in its place"
	}
	if errors.Is(err, syscall.EAGAIN) { // see [safeopen.File]: a lease
		return "another program blocks reading the file; save it again"
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return fmt.Sprintf("the file cannot be read: %v", err)
}

// readRegular returns the first maxFileBytes of a regular file, and one byte more. It opens
// nothing else: the owner of the folder may put a pipe there, which would never end.
func readRegular(path string) ([]byte, error) { return safeopen.Read(path, maxFileBytes) }
