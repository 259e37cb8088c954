package main

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// inTerminal is a program that runs in a terminal.
type inTerminal struct {
	t        testing.TB
	cmd      *exec.Cmd
	keyboard *os.File
	screen   *transcript
}

// startInTerminal runs a program in a terminal of its own. Its standard output may be elsewhere.
func startInTerminal(t testing.TB, cmd *exec.Cmd) *inTerminal {
	t.Helper()
	keyboard, tty := openTerminal(t)
	p := &inTerminal{t: t, cmd: cmd, keyboard: keyboard, screen: newTranscript()}
	cmd.Stdin, cmd.Stderr = tty, tty
	if cmd.Stdout == nil {
		cmd.Stdout = tty
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	go func() {
		defer p.screen.Close()
		io.Copy(p.screen, keyboard) // until the program has closed the terminal
	}()
	return p
}

// openTerminal returns both ends of a terminal (pty(7)).
func openTerminal(t testing.TB) (keyboard, tty *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return keyboard, tty
}
