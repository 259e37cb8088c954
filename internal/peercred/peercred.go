// Package peercred tells who is at the other end of a Unix socket, as the kernel
// knows it: never from anything that the peer says.
package peercred

import (
	"fmt"
	"net"
)

// Credentials are those of a process that connected to, or listens on, a socket.
type Credentials struct {
	UID int
	PID int // as this process may name it; 0 when it cannot
}

// Of returns the credentials of c's peer.
func Of(c *net.UnixConn) (Credentials, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Credentials{}, err
	}
	var found Credentials
	var failed error
	if err := raw.Control(func(fd uintptr) { found, failed = ask(int(fd)) }); err != nil {
		return Credentials{}, err
	}
	if failed != nil {
		return Credentials{}, fmt.Errorf("asking for the peer's credentials: %w", failed)
	}
	return found, nil
}
