// Package peercred says who is at the other end of a Unix socket. It asks the kernel
// and never believes the peer.
package peercred

import (
	"fmt"
	"net"
)

// Credentials identify a process that connected to, or listens on, a socket.
type Credentials struct {
	UID int
	PID int // as this process sees it; 0 when it does not
}

// Of returns the credentials of the peer of c.
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
