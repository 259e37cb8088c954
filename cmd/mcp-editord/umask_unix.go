//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// umask returns the umask of this process, in octal. The system only tells it to who sets it: a
// file that is made in between belongs to its owner alone.
func umask() string {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fmt.Sprintf("%04o", mask)
}

// privateFiles closes the files that this process makes to everybody else, whatever the umask of
// the editor that started it.
func privateFiles() { syscall.Umask(0o077) }
