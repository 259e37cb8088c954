//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// umask returns the umask of this process, in octal. The system returns it only when a new one is
// set. A file made in between is closed to everybody but its owner.
func umask() string {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fmt.Sprintf("%04o", mask)
}

// privateFiles keeps everybody else out of the files that this process makes, whatever the umask of
// the editor that started it.
func privateFiles() { syscall.Umask(0o077) }
