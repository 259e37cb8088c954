//go:build !linux && !darwin

package main

import (
	"errors"
	"net"
)

// peerPID fails: nothing tells who listens on a socket here.
func peerPID(net.Conn) (int, error) { return 0, errors.ErrUnsupported }
