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
