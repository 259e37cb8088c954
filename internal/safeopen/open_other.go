//go:build !linux

package safeopen

import (
	"io/fs"
	"os"
)

// open refuses anything but a regular file before it opens it. If something else takes its place
// in between, open opens that without waiting, and [File] refuses it.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return os.OpenFile(path, Flags, 0)
}

// in does the same below root, and refuses a link as the last part of name. If a link takes the
// file's place in between, it leads nowhere else than below root.
func in(root *os.Root, name string) (*os.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	return root.OpenFile(name, Flags, 0)
}
