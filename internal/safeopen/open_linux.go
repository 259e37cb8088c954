package safeopen

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW

// opened looks at the file through a descriptor that does not open it (open(2), O_PATH), and then
// opens that same file.
func opened(path string, flags int, _ statFunc, open openFunc) (*os.File, error) {
	at, err := open(path, unix.O_PATH|flags, 0)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if err := regular(at, path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile("/proc/self/fd/"+strconv.FormatUint(uint64(at.Fd()), 10), Flags, 0)
	if errors.Is(err, fs.ErrNotExist) { // no /proc
		return open(path, Flags|flags, 0)
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = path
	}
	return f, err
}
