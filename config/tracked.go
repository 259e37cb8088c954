package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// tracked is one file of a [Store].
type tracked struct {
	path   string
	source Source // without Resolved
	last   state  // guarded by Store.reading
	file   *File  // nil when there is no file; written with Store.reading and Store.mu held, so either is enough to read
}

// state is what was on the disk. The zero state is that there was nothing.
type state struct {
	exists   bool
	resolved string // path without symbolic links, "" when that is the path itself
	content  [sha256.Size]byte
	fault    string // why it cannot be read, "" when it can
}

// read reads the file again. When it is as before changed is false; else file is
// what to keep from now on, nil when there is none any more. Called with
// Store.reading held.
func (t *tracked) read() (file *File, changed bool) {
	now := state{exists: true}
	data, err := readRegular(t.path)
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
		doc := &document{source: source}
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
	if errors.Is(err, errNotRegular) {
		return "this is not a regular file; put a file in its place"
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Sprintf("the file cannot be read: %v", err)
}
