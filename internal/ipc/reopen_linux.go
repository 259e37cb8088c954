package ipc

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// sendsNow says that MSG_DONTWAIT keeps a send from waiting, whatever the flags of the socket.
const sendsNow = true

// reopen opens a pipe a second time, so that its flags are ours alone, and closes fd. It returns fd
// itself when that cannot be: another user may have made the pipe.
func reopen(fd, mode int) int {
	own, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), mode|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fd
	}
	unix.Close(fd)
	return own
}
