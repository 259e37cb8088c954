//go:build unix

package workspaceserver

import (
	"os"
	"syscall"
)

// openFlags open a file for reading without waiting for whoever may be at the
// other end of a named pipe.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK
