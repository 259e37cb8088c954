// Package atomicfile replaces the content of a file at once, and removes the oldest files of a folder.
//
// Invariants:
//
//   - After a crash the file has either the old content or the new one.
//   - Only this user can read what a crash leaves beside the file.
package atomicfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// suffix ends the names of files that are being written.
const suffix = ".tmp"

// Write replaces the content of the file at path, which only this user can read then. When it fails,
// the old content is still there. A crash may leave a file that [Leftovers] finds.
func Write(path string, content []byte) error { return WriteMode(path, content, 0o600) }

// WriteMode is Write for a file with these permissions, whatever the umask is.
func WriteMode(path string, content []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+suffix) // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // again, when that is what failed
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(content); err != nil {
		return err
	}
	if mode != 0o600 {
		if err = f.Chmod(mode); err != nil {
			return err
		}
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// Leftovers returns the paths of what [Write] left beside the file at path when the program was
// killed. Those of a Write under way are among them, so only who keeps others from writing may
// remove them.
func Leftovers(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, filepath.Base(path)+".") && strings.HasSuffix(name, suffix) {
			found = append(found, filepath.Join(filepath.Dir(path), name))
		}
	}
	return found, nil
}

// Prune removes files of a folder, until those whose names end with suffix are at most so many. Those go that were written
// longest ago.
func Prune(dir, suffix string, most int) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= most {
		return err
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasSuffix(info.Name(), suffix) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range files[:max(0, len(files)-most)] {
		if failed := os.Remove(filepath.Join(dir, info.Name())); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
