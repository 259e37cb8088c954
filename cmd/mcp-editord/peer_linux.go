package main

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerPID returns the process that listens at the other end of conn, as the
// kernel knows it and as this process may name it (unix(7), SO_PEERCRED).
func peerPID(conn net.Conn) (int, error) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var optErr error
	err = raw.Control(func(fd uintptr) {
		cred, optErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil {
		return 0, err
	}
	if optErr != nil {
		return 0, optErr
	}
	return int(cred.Pid), nil
}
