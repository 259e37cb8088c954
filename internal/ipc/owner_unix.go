//go:build unix

package ipc

import (
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownerOf returns the id of the user that a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, err error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("the owner of %s is unknown", info.Name())
	}
	return int(stat.Uid), nil
}

// writable reports whether files can be made in dir; on a read-only file system
// they cannot, whatever the mode says.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
