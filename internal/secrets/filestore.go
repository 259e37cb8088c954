package secrets

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	fileName     = "credentials.json"
	maxFileBytes = 1 << 20
)

// A filePlace is the place of secrets in a file. Processes change it under a lock beside it.
type filePlace struct{ dir string }

// fileContent is the content of the file.
type fileContent struct {
	Version int               `json:"version"` // 1
	Secrets map[string][]byte `json:"secrets"` // by name; in Base64
}

func (f *filePlace) path() string { return filepath.Join(f.dir, fileName) }

// exists reports whether there is something at the path, whatever it is.
func (f *filePlace) exists() bool {
	_, err := os.Lstat(f.path())
	return err == nil
}

func (f *filePlace) ready(bool) error {
	_, _, err := f.read()
	return err
}

func (f *filePlace) abandon() {} // a disk that hangs may come back

func (f *filePlace) get(name string) ([]byte, error) {
	found, _, err := f.read()
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

// read is load, where no file is an empty one.
func (f *filePlace) read() (map[string][]byte, []byte, error) {
	found, content, err := f.load()
	if errors.Is(err, fs.ErrNotExist) {
		return map[string][]byte{}, nil, nil
	}
	return found, content, err
}

// load returns the secrets in the file, and its content.
func (f *filePlace) load() (map[string][]byte, []byte, error) {
	content, err := f.bytes()
	if err != nil {
		var t *trouble
		if errors.As(err, &t) || errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		return nil, nil, f.failed("reading", err)
	}
	var file fileContent
	if len(content) > maxFileBytes || json.Unmarshal(content, &file) != nil || file.Version != 1 { // the error of json may quote the content
		return nil, nil, &trouble{why: fmt.Sprintf("the file %s is damaged", f.path()), todo: "repair or delete it"}
	}
	if file.Secrets == nil {
		file.Secrets = map[string][]byte{}
	}
	return file.Secrets, content, nil
}

// bytes returns the content of the file, up to a byte more than it may have. It refuses a file
// that is not ours alone: somebody else has read it, or has written it.
func (f *filePlace) bytes() ([]byte, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(fileName)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, f.notRegular()
	}
	opened, err := safeopen.In(root, fileName)
	if errors.Is(err, safeopen.ErrNotRegular) { // since
		return nil, f.notRegular()
	}
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	if info, err = opened.Stat(); err != nil {
		return nil, err
	}
	if t := notOurs(f.path(), info); t != nil {
		return nil, t
	}
	return io.ReadAll(io.LimitReader(opened, maxFileBytes+1))
}

func (f *filePlace) notRegular() *trouble {
	return &trouble{why: fmt.Sprintf("%s is a link or not a file", f.path()), todo: "run: rm -r " + safetext.ShellWord(f.path())}
}

func (f *filePlace) failed(doing string, err error) *trouble {
	return &trouble{
		why:   fmt.Sprintf("%s %s failed: %s", doing, f.path(), safetext.Line(err.Error(), 200)),
		todo:  "check the disk and the permissions of the state directory",
		cause: err,
	}
}

// change changes the secrets in the file.
func (f *filePlace) change(apply func(map[string][]byte)) error {
	return f.locked(func() error {
		found, _, err := f.read()
		if err != nil {
			return err
		}
		apply(found)
		content, err := json.MarshalIndent(fileContent{Version: 1, Secrets: found}, "", "  ")
		if err != nil {
			return f.failed("writing", err)
		}
		if len(content) >= maxFileBytes {
			return &trouble{why: fmt.Sprintf("the file %s would have more than %d KiB", f.path(), maxFileBytes>>10), todo: "delete what you no longer need from it", cause: errFull}
		}
		f.sweep()
		if err := atomicfile.Write(f.path(), append(content, '\n')); err != nil {
			return f.failed("writing", err)
		}
		return nil
	})
}

// errChanged means that the file has changed since it was read.
var errChanged = errors.New("the file has changed meanwhile")

// remove deletes the file; with a sum, only while that is the sum of its content.
func (f *filePlace) remove(sum *[sha256.Size]byte) error {
	left, err := atomicfile.Leftovers(f.path())
	if err != nil {
		return err
	}
	if len(left) == 0 && !f.exists() {
		return nil
	}
	return f.locked(func() error {
		f.sweep()
		if sum != nil {
			content, err := f.bytes()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if sha256.Sum256(content) != *sum {
				return errChanged
			}
		}
		if err := os.Remove(f.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// tidy removes what writes that were killed have left.
func (f *filePlace) tidy() {
	if left, _ := atomicfile.Leftovers(f.path()); len(left) > 0 {
		_ = f.locked(func() error { f.sweep(); return nil }) // the next start tries again
	}
}

// sweep removes what writes that were killed have left, in clear. The caller holds the lock.
func (f *filePlace) sweep() {
	left, _ := atomicfile.Leftovers(f.path())
	for _, path := range left {
		_ = os.Remove(path) // the next write or start tries again
	}
}

// locked runs fn while no other process changes the file.
func (f *filePlace) locked(fn func() error) error {
	unlock, err := lockPlace(f.path() + ".lock")
	if err != nil {
		return f.failed("locking", err)
	}
	defer unlock()
	return fn()
}
