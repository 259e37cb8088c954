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
	last   state  // used only by who reads the group
	file   *File  // nil when there is no file; guarded by Store.mu, written only by who reads the group
}

// state is what was on the disk. The zero state is that there was nothing.
type state struct {
	exists   bool
	resolved string // path without symbolic links, "" when that is the path itself
	content  [sha256.Size]byte
	fault    string // why it cannot be read, "" when it can
}

// track returns a file of a [Store] that was not read yet.
func track(path string, source Source) *tracked {
	source.URI = fileuri.FromPath(path)
	return &tracked{path: path, source: source}
}

// read reads the file again, and parses it unless it is as before. Then changed is false; else
// file is what to keep from now on, nil when there is none any more.
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
		file = &File{
			Source:   good.Source,
			Servers:  good.Servers,
			Inputs:   good.Inputs,
			Problems: file.Problems,
			Broken:   true,
			defaults: good.defaults,
		}
	}
	return file, true
}

// resolve returns where the file is without symbolic links, "" when it is at path.
func (t *tracked) resolve() string {
	resolved, err := filepath.EvalSymlinks(t.path)
	if err != nil || resolved == t.path {
		return "" // when it has gone meanwhile there is another event
	}
	return resolved
}

// fault says what to do about a file that cannot be read.
func fault(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "the file cannot be read; give yourself the permission to read it"
	}
	if errors.Is(err, safeopen.ErrNotRegular) {
		return "this is not a regular file; put a file in its place"
	}
	if errors.Is(err, syscall.EAGAIN) { // see [safeopen.File]: a lease
		return "another program keeps the file from being read; save it again"
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Sprintf("the file cannot be read: %v", err)
}
