//go:build unix

package ipc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// detach makes cmd outlive this process and its terminal: a session of its own,
// and none of the files that this process has inherited. Whoever reads from a
// terminal or a pipe waits until nobody holds its other end.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	files, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // inherited files stay open; there is no other way to find them
	}
	for _, f := range files {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
