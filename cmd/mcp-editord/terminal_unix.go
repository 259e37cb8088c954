//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// isTerminal reports whether fd is a terminal.
func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	return err == nil
}

// terminalWidth returns how many columns a terminal has; 0 when it does not say.
func terminalWidth(fd int) int {
	size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// ownSession keeps a program from the signals of this one's terminal: Ctrl-C must not close the browser.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

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

// awaitInput waits until something can be read from fd. It fails when ctx ends first. It is select(2) that
// waits: on macOS, poll(2) does not know terminals.
func awaitInput(ctx context.Context, fd int) error {
	ended, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ended.Close()
	stop := context.AfterFunc(ctx, func() { end.Close() })
	defer func() {
		if stop() {
			end.Close()
		}
	}()
	wake := int(ended.Fd())
	for {
		var ready unix.FdSet
		ready.Set(fd)
		ready.Set(wake)
		switch _, err := unix.Select(max(fd, wake)+1, &ready, nil, nil, nil); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case ready.IsSet(wake):
			return ctx.Err()
		default:
			return nil
		}
	}
}
