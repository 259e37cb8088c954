// Package safeopen opens files and folders that somebody else may swap for something
// that is harmful to open.
//
// Invariants, whatever is at the path and whenever it got there:
//
//   - Opening returns as soon as the file system does. It never waits for the other
//     end of a pipe, nor for the holder of a lease on the file.
//   - File opens only a regular file, Folder only a folder. On Linux nothing else is even touched:
//     opening a terminal, a tape or a watchdog has effects.
package safeopen

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular means that something is there but is not a regular file. It comes wrapped.
var ErrNotRegular = errors.New("it is not a regular file")

// File opens the regular file at path for reading.
func File(path string) (*os.File, error) { return checked(path, 0, os.Stat, os.OpenFile) }

// Read returns what is in the regular file at path, up to a byte more than limit: who gets that byte knows that there is
// more.
func Read(path string, limit int64) ([]byte, error) {
	f, err := File(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// In opens the regular file name below root for reading. Links on the way lead nowhere else than
// below root, and name itself must not be one.
func In(root *os.Root, name string) (*os.File, error) {
	return checked(name, noFollow, root.Lstat, root.OpenFile)
}

type (
	statFunc func(path string) (fs.FileInfo, error)
	openFunc func(path string, flags int, mode fs.FileMode) (*os.File, error)
)

// checked opens a file with [Flags] and these, and returns it if it is a regular one.
func checked(path string, flags int, stat statFunc, open openFunc) (*os.File, error) {
	f, err := opened(path, flags, stat, open)
	if err != nil {
		return nil, err
	}
	if err := regular(f, path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// regular is [Regular] with the path in the error.
func regular(f *os.File, path string) error {
	if err := Regular(f); err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}

// Folder opens the folder at path, for reading its entries.
func Folder(path string) (*os.File, error) { return os.OpenFile(path, Flags|onlyFolder, 0) }

// Regular returns [ErrNotRegular] unless f, opened with [Flags], is a regular file.
func Regular(f *os.File) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	return err
}
