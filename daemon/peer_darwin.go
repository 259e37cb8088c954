package daemon

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// peerUID returns the user of the process at the other end, from the kernel
// (unix(4), LOCAL_PEERCRED): never from anything that the peer says.
func peerUID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Xucred
	var optErr error
	err = raw.Control(func(fd uintptr) {
		cred, optErr = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	if err != nil {
		return 0, err
	}
	if optErr != nil {
		return 0, fmt.Errorf("asking for the peer's credentials: %w", optErr)
	}
	return int(cred.Uid), nil
}
