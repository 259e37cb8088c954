//go:build !linux

package safeopen

import (
	"io/fs"
	"os"
)

const noFollow = 0 // a link that comes in between leads nowhere else than below root

// opened refuses anything but a regular file before it opens it. If something else takes its place
// in between, opened opens that without waiting, and [File] and [In] refuse it.
func opened(path string, flags int, stat statFunc, open openFunc) (*os.File, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return open(path, Flags|flags, 0)
}
