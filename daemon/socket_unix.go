//go:build unix

package daemon

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const homeVariable = "HOME"

// ownerOf returns the id of the user that a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, err error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("the owner of %s is not known", info.Name())
	}
	return int(stat.Uid), nil
}

// writable tells whether files can be made in dir; on a read-only file system
// they cannot, whatever the mode says.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// detach makes cmd outlive this process and its terminal: a session of its own,
// and none of the files that this process has inherited. Whoever reads from a
// terminal or a pipe waits until nobody holds its other end.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	files, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // what was inherited stays open; there is no other way to know it
	}
	for _, f := range files {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
