// Package keptfiles keeps what is too large to show in files that only the user can read, and lets the
// oldest go when another one comes.
//
// Invariants:
//
//   - A folder never has more than [MaxFiles] of our files, nor more than [MaxBytes] in them, nor one that
//     is older than [MaxAge] when a file is written. Other files are left alone.
//   - A file that cannot be written whole does not stay.
package keptfiles

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// What a folder keeps.
const (
	MaxFiles = 200
	MaxBytes = 512 << 20
	MaxAge   = 7 * 24 * time.Hour
)

// What the names of our files begin with.
const (
	prefix      = "result-"
	draftPrefix = "draft-" // of those that are never tidied away
)

// maxLabel is how many bytes of a label go into a name. Most systems allow 255 for all of it.
const maxLabel = 80

// Files are the files of one result. Nobody can guess their names. They are for one goroutine at a time.
type Files struct {
	Dir   string
	names []string // those that were written
}

// A Kind says what to call a file and who may change it.
type Kind struct {
	Label     string // what it is about, in any characters; "" for nothing
	Extension string // with its dot
	ReadOnly  bool   // the user cannot change it by accident: an editor shows it as read-only
	Draft     bool   // the user goes on with it: it stays until somebody removes it
}

// Write writes a file of about so many bytes and returns its path and size. It makes the folder if need be, and fails when
// others can enter it. It leaves the files that f has written before.
func (f *Files) Write(k Kind, about int, content io.Reader) (path string, size int64, err error) {
	root, err := openPrivate(f.Dir)
	if err != nil {
		return "", 0, err
	}
	defer root.Close()
	if err := tidy(root, f.names, int64(about)); err != nil {
		return "", 0, fmt.Errorf("tidying %s: %w", f.Dir, err)
	}
	mode := fs.FileMode(0o600)
	if k.ReadOnly {
		mode = 0o400
	}
	name := safeLabel(k.Label) + strings.ToLower(rand.Text()) + k.Extension
	if k.Draft {
		name = draftPrefix + name
	} else {
		name = prefix + name
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(file, content)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", 0, errors.Join(err, root.Remove(name))
	}
	f.names = append(f.names, name)
	return filepath.Join(f.Dir, name), size, nil
}

// Remove removes the files. What cannot be removed is tidied up later.
func (f *Files) Remove() {
	for _, name := range f.names {
		_ = os.Remove(filepath.Join(f.Dir, name))
	}
	f.names = nil
}

// special is what means something to a shell or a file system.
var special = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// safeLabel returns what a name has of a label.
func safeLabel(label string) string {
	label = special.ReplaceAllString(label, "_")
	if label == "" {
		return ""
	}
	return label[:min(len(label), maxLabel)] + "-"
}

// openPrivate opens a folder that only the user can enter, and makes it if need be.
func openPrivate(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("others can enter %s; run: chmod 700 %s", dir, dir)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// tidy removes files that are too old, and the oldest until there is room for one more of this size. It
// leaves those in keep. Several processes do so at once: a file that is gone already is no error.
func tidy(root *os.Root, keep []string, size int64) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	type old struct {
		name string
		size int64
		at   time.Time
	}
	var all []old
	count := 1
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			continue // it is gone
		}
		count++
		size += info.Size()
		all = append(all, old{entry.Name(), info.Size(), info.ModTime()})
	}
	slices.SortFunc(all, func(a, b old) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.name, b.name)) })
	for _, o := range all {
		if count <= MaxFiles && size <= MaxBytes && time.Since(o.at) <= MaxAge {
			break // those after it are younger
		}
		if slices.Contains(keep, o.name) {
			continue
		}
		if err := root.Remove(o.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		count--
		size -= o.size
	}
	return nil
}
