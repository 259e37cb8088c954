package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	fileName     = "credentials.json"
	maxFileBytes = 8 << 20
)

// A filePlace is the place of secrets in a file. Processes change it under a lock beside it.
type filePlace struct{ dir string }

// fileContent is the content of the file.
type fileContent struct {
	Version int               `json:"version"` // 1
	Secrets map[string][]byte `json:"secrets"` // by name; in Base64
}

func (f *filePlace) path() string { return filepath.Join(f.dir, fileName) }

func (f *filePlace) ready(bool) error {
	_, err := f.load()
	return err
}

func (f *filePlace) abandon() {} // a disk that hangs may come back

func (f *filePlace) get(name string) ([]byte, error) {
	found, err := f.load()
	if err != nil {
		return nil, err
	}
	value, ok := found[name]
	if !ok {
		return nil, ErrNotFound
	}
	return value, nil
}

func (f *filePlace) set(name string, value []byte) error {
	return f.change(func(secrets map[string][]byte) { secrets[name] = value })
}

func (f *filePlace) delete(name string) error {
	return f.change(func(secrets map[string][]byte) { delete(secrets, name) })
}

// load returns the secrets in the file; none where there is no file.
func (f *filePlace) load() (map[string][]byte, error) {
	content, err := f.bytes()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return map[string][]byte{}, nil
	case errors.Is(err, safeopen.ErrNotRegular):
		return nil, &trouble{fmt.Sprintf("%s is a link or not a file; run: rm -r %s", f.path(), safetext.ShellWord(f.path())), nil}
	case err != nil:
		return nil, f.failed("reading", err)
	}
	var file fileContent
	if len(content) > maxFileBytes || json.Unmarshal(content, &file) != nil || file.Version != 1 { // the error of json may quote the content
		return nil, &trouble{fmt.Sprintf("the file %s is damaged; repair or delete it", f.path()), nil}
	}
	if file.Secrets == nil {
		file.Secrets = map[string][]byte{}
	}
	return file.Secrets, nil
}

// bytes returns the content of the file, up to a byte more than it may have. It refuses a file
// that is not ours alone: somebody else may have read it, or have written it.
func (f *filePlace) bytes() ([]byte, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	opened, err := safeopen.In(root, fileName)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" { // there it has the permissions of its directory
		return nil, &trouble{fmt.Sprintf("others may get at %s, which has mode %04o; run: chmod 600 %s", f.path(), mode, safetext.ShellWord(f.path())), nil}
	}
	return io.ReadAll(io.LimitReader(opened, maxFileBytes+1))
}

// failed returns err as what people can read.
func (f *filePlace) failed(doing string, err error) error {
	if _, ok := errors.AsType[*trouble](err); ok || err == nil {
		return err
	}
	return &trouble{fmt.Sprintf("%s %s failed: %s; check the disk and the permissions of the state directory", doing, f.path(), safetext.Line(err.Error(), 200)), err}
}

// change changes the secrets in the file, while no other process does.
func (f *filePlace) change(apply func(map[string][]byte)) error {
	return f.failed("writing", locked(f.path()+".lock", func() error {
		found, err := f.load()
		if err != nil {
			return err
		}
		apply(found)
		content, err := json.MarshalIndent(fileContent{Version: 1, Secrets: found}, "", "  ")
		if err != nil {
			return err
		}
		if len(content) >= maxFileBytes {
			return &trouble{fmt.Sprintf("the file %s would have more than %d KiB; delete what you no longer need from it", f.path(), maxFileBytes>>10), nil}
		}
		return atomicfile.Write(f.path(), append(content, '\n'))
	}))
}

// clean deletes what writes that were killed have left, in clear, and the file too where all says so once nobody can
// write it.
func (f *filePlace) clean(all func() bool) error {
	left, _ := atomicfile.Leftovers(f.path())
	if _, err := os.Lstat(f.path()); err != nil && len(left) == 0 {
		return nil
	}
	return f.failed("deleting", locked(f.path()+".lock", func() (failed error) {
		if all() {
			left = append(left, f.path())
		}
		for _, path := range left {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				failed = errors.Join(failed, err)
			}
		}
		return failed
	}))
}
