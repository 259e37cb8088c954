//go:build unix

package safeopen

import (
	"os"
	"syscall"
)

// Flags open a file for reading without waiting for anybody, and without making a
// terminal the controlling one.
const Flags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

const onlyFolder = syscall.O_DIRECTORY
