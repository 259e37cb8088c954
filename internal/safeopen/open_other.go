//go:build !linux

package safeopen

import (
	"io/fs"
	"os"
)

// open refuses what is no regular file before it is opened. What is put in its place in
// between is opened without waiting, and refused afterwards.
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
