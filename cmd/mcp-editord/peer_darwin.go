package main

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerPID returns the process that listens at the other end of conn, as the
// kernel knows it (unix(4), LOCAL_PEERPID).
func peerPID(conn net.Conn) (pid int, err error) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var optErr error
	err = raw.Control(func(fd uintptr) {
		pid, optErr = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err != nil {
		return 0, err
	}
	return pid, optErr
}
