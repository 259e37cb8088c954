//go:build linux

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// signedInLine is signedInText in a terminal.
var signedInLine = strings.TrimSuffix(signedInText, "\n") + "\r\n"

// inTerminal runs the program in a terminal of its own.
func (d *fakeDaemon) inTerminal(t *testing.T, env []string, args ...string) *inTerminal {
	t.Helper()
	cmd := exec.Command("mcp-editord", args...)
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
	for name, value := range d.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return startInTerminal(t, cmd)
}

// typeIn types a text once the n-th prompt is there.
func (p *inTerminal) typeIn(n int, text string) {
	p.t.Helper()
	p.screen.await(p.t, "ends on", n)
	if _, err := io.WriteString(p.keyboard, text); err != nil {
		p.t.Fatal(err)
	}
}

// end waits for the end of the program, and checks its exit code. The terminal shows again what is typed.
func (p *inTerminal) end(code int) {
	p.t.Helper()
	err := p.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	p.screen.awaitEnd()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d; the screen is %q", got, code, p.screen)
	}
	mode, err := unix.IoctlGetTermios(int(p.keyboard.Fd()), unix.TCGETS)
	if err != nil || mode.Lflag&unix.ECHO == 0 || mode.Lflag&unix.ICANON == 0 {
		p.t.Errorf("the terminal is left with the flags %#x, %v", mode.Lflag, err)
	}
}

// fakeBrowser returns a program that is a browser, and opened, which returns the next address that it opens.
func fakeBrowser(t *testing.T, code int) (path string, opened func() string) {
	t.Helper()
	dir := t.TempDir()
	path, fifo := filepath.Join(dir, "browser"), filepath.Join(dir, "opened")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >'" + fifo + "'\nexit " + strconv.Itoa(code) + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, func() string {
		f, err := os.Open(fifo) // waits until the program opens it
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// Enter opens the address, as often as the user likes; when the browser comes back, the prompt is left.
func TestSignInTerminal(t *testing.T) {
	d := newFakeDaemon(t)
	path, opened := fakeBrowser(t, 0)
	p := d.inTerminal(t, []string{"BROWSER=" + path}, "signin", "remote")
	p.screen.await(t, "\r\n"+address+"\r\n", 1)
	for n := range 2 {
		p.typeIn(n+1, "\n")
		if got, want := opened(), "1\n"+address+"\n"; got != want {
			t.Errorf("the browser got %q, want %q", got, want)
		}
	}
	p.screen.await(t, "Press Enter to open a browser", 3)
	d.finish()
	p.end(0)
	check(t, "the screen", p.screen.String(), "it ends on: \r\n"+signedInLine)
}

// The browser is not closed by Ctrl-C.
func TestSignInTerminalBrowserStays(t *testing.T) {
	d := newFakeDaemon(t)
	path, opened := fakeBrowser(t, 0)
	p := d.inTerminal(t, []string{"BROWSER=" + path}, "signin", "remote")
	p.typeIn(1, "\n")
	p.screen.await(t, "Opened.", 1)
	p.typeIn(2, "\x03")
	p.end(exitInterrupted)
	opened() // it has waited for this
}

// A browser that fails is no reason to give up.
func TestSignInTerminalBrowserFails(t *testing.T) {
	d := newFakeDaemon(t)
	path, opened := fakeBrowser(t, 3)
	p := d.inTerminal(t, []string{"BROWSER=" + path}, "signin", "remote")
	p.typeIn(1, "\n")
	opened()
	p.screen.await(t, "browser failed (exit status 3); open the address yourself", 1)
	p.typeIn(2, "good\n")
	p.end(0)
}

// What is pasted does not get to the screen. An address may be longer than a line of a terminal.
func TestSignInTerminalPasted(t *testing.T) {
	wrong := "http://127.0.0.1:1/?state=b&code=" + strings.Repeat("SECRET", 2000)
	d := newFakeDaemon(t)
	p := d.inTerminal(t, nil, "signin", "remote")
	p.screen.await(t, "open this address at sign.example on any device:", 1)
	p.typeIn(1, wrong+"\n")
	p.screen.await(t, "that is from another sign-in", 1)
	p.typeIn(2, "bax\x7fd\x7f\x7f\x7fx\x15gooo\x7fd\n")
	p.end(0)
	if got := d.got(); got != wrong+" good" {
		t.Errorf("the daemon got %d bytes, such as %.100q", len(got), got)
	}
	if text := p.screen.String(); strings.Contains(text, "SECRET") || strings.Contains(text, "good") {
		t.Errorf("the screen shows %.1000q", text)
	}
	check(t, "the screen", p.screen.String(), signedInLine)
}

// Ctrl-C cancels the sign-in.
func TestSignInTerminalInterrupted(t *testing.T) {
	d := newFakeDaemon(t)
	p := d.inTerminal(t, nil, "signin", "remote")
	p.typeIn(1, "goo\x03")
	p.end(exitInterrupted)
	<-d.cancelled
	if text := p.screen.String(); !strings.HasSuffix(text, "its address: \r\n") {
		t.Errorf("the screen is %q", text)
	}
}

// Ctrl-D ends the questions, not the sign-in.
func TestSignInTerminalClosed(t *testing.T) {
	d := newFakeDaemon(t)
	p := d.inTerminal(t, []string{"DISPLAY=:0"}, "signin", "remote", "--no-browser")
	p.typeIn(1, "\x04")
	p.screen.await(t, "Waiting for the browser; Ctrl-C cancels.", 1)
	if strings.Contains(p.screen.String(), "Press Enter") {
		t.Errorf("the screen is %q", p.screen)
	}
	d.finish()
	p.end(0)
}
