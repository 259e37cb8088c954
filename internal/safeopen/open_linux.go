package safeopen

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// open looks at the file through a descriptor that does not open it (open(2), O_PATH), and then
// opens that same file.
func open(path string) (*os.File, error) {
	at, err := os.OpenFile(path, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	f, err := reopen(at, path)
	if errors.Is(err, fs.ErrNotExist) { // no /proc
		return os.OpenFile(path, Flags, 0)
	}
	return f, err
}

// in does the same below root. A link as the last part of name is opened itself, so it is refused.
func in(root *os.Root, name string) (*os.File, error) {
	at, err := root.OpenFile(name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	f, err := reopen(at, name)
	if errors.Is(err, fs.ErrNotExist) { // no /proc
		return root.OpenFile(name, Flags|unix.O_NOFOLLOW, 0)
	}
	return f, err
}

// reopen opens the regular file that at refers to.
func reopen(at *os.File, path string) (*os.File, error) {
	if err := Regular(at); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f, err := os.OpenFile("/proc/self/fd/"+strconv.FormatUint(uint64(at.Fd()), 10), Flags, 0)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		failed.Path = path
	}
	return f, err
}
