//go:build unix

package safeopen

import (
	"io/fs"
	"os"
	"syscall"
)

// Foreign reports whether a file belongs to another user, other than root.
func Foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}
