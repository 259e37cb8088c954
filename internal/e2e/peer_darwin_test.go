package e2e

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerPID returns the id of the process at the other end of c.
func peerPID(c *net.UnixConn) (pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var pidErr error
	err = raw.Control(func(fd uintptr) {
		pid, pidErr = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err == nil {
		err = pidErr
	}
	return pid, err
}
