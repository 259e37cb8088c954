//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// isTerminal reports whether fd is a terminal.
func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	return err == nil
}

// hideInput stops the terminal from showing what is typed, until the caller calls show (termios(3),
// ECHO). It also takes away the limit of a line, 1024 bytes on macOS and 4096 on Linux, beyond which a
// terminal drops what is pasted: each key is handed over at once (ICANON), see readTyped.
func hideInput(fd int) (show func(), err error) {
	old, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return nil, err
	}
	hidden := *old
	hidden.Lflag &^= unix.ECHO | unix.ICANON
	hidden.Cc[unix.VMIN], hidden.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, ioctlSetTermios, &hidden); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, ioctlSetTermios, old) }, nil // a terminal that is gone shows nothing
}
