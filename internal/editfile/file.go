package editfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// maxFile is how large a configuration may be, in bytes.
const maxFile = 16 << 20

// A File is what is at a path.
type File struct {
	Content []byte

	path    string
	target  string // what the path leads to; for a file that is not there, where it would be
	there   bool
	mode    fs.FileMode
	foreign bool // belongs to another user: with sudo, replacing it would take it away from them
}

// ReadFile reads a configuration, which need not exist. It follows symbolic links.
func ReadFile(path string) (File, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return File{}, fmt.Errorf("%s is a symbolic link that leads nowhere; make its target or remove it", path)
		}
		return File{path: path, target: path, mode: 0o600}, nil
	}
	if err != nil {
		return File{}, fmt.Errorf("finding the configuration: %w", err)
	}
	f, err := safeopen.File(target)
	if err != nil {
		return File{}, fmt.Errorf("reading the configuration: %w", err)
	}
	defer f.Close()
	info, statErr := f.Stat()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err = cmp.Or(err, statErr); err != nil {
		return File{}, fmt.Errorf("reading the configuration: %w", err)
	}
	if len(content) > maxFile {
		return File{}, fmt.Errorf("%s is larger than %d MiB; change it by hand", path, maxFile>>20)
	}
	return File{content, path, target, true, info.Mode().Perm(), safeopen.Foreign(info)}, nil
}

// Exists reports whether there is a file.
func (f File) Exists() bool { return f.there }

// Replace writes another content. It keeps a copy of the old one for somebody, and returns its path; "" when there was
// no file.
func (f File) Replace(backups Backups, owner string, content []byte) (backup string, err error) {
	switch {
	case !f.there:
		if err := os.MkdirAll(filepath.Dir(f.target), 0o700); err != nil {
			return "", fmt.Errorf("making the folder of the configuration: %w", err)
		}
	case f.mode&0o200 == 0:
		return "", fmt.Errorf("%s is read-only; make it writable, or change it by hand", f.target)
	case f.foreign:
		return "", fmt.Errorf("%s belongs to another user; run the command as that user", f.target)
	default:
		if backup, err = backups.Keep(owner, f.path, f.Content); err != nil {
			return "", err
		}
	}
	if err := atomicfile.WriteMode(f.target, content, f.mode); err != nil {
		return "", fmt.Errorf("writing the configuration: %w", err)
	}
	return backup, nil
}

// Newline returns the end of a line in a text.
func Newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
