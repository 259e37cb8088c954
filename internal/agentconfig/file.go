package agentconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// maxFile is how large a configuration may be, in bytes.
const maxFile = 16 << 20

// A File is what is at a path.
type File struct {
	Target  string // what the path leads to; for a file that is not there, where it would be
	There   bool
	Content []byte
	Mode    fs.FileMode
	foreign bool // belongs to another user
}

// ReadFile reads a configuration, which need not exist. It follows symbolic links.
func ReadFile(path string) (File, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return File{}, fmt.Errorf("%s is a symbolic link that leads nowhere; make its target or remove it", path)
		}
		return File{Target: path, Mode: 0o600}, nil
	}
	if err != nil {
		return File{}, fmt.Errorf("finding the configuration: %w", err)
	}
	f, err := safeopen.File(target)
	if err != nil {
		return File{}, fmt.Errorf("reading the configuration: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, fmt.Errorf("reading the configuration: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return File{}, fmt.Errorf("reading the configuration: %w", err)
	}
	if len(content) > maxFile {
		return File{}, fmt.Errorf("%s is larger than %d MiB; enter mcp-editord by hand", path, maxFile>>20)
	}
	return File{target, true, content, info.Mode().Perm(), foreign(info)}, nil
}
