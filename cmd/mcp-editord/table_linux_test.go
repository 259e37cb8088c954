package main

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
)

// A terminal gets rows that fit, and whole notes; a pipe gets all of a row.
func TestTableWidth(t *testing.T) {
	rows := &table{}
	rows.row("NAME", "DESCRIPTION")
	rows.row("a", "as wide as it is")
	rows.row("b", "日本語の説明は広い")
	rows.note("a note is never cut, for it may be a command")
	var piped bytes.Buffer
	if err := rows.write(&piped, ""); err != nil {
		t.Fatal(err)
	}
	const note = "  a note is never cut, for it may be a command\n"
	if want := "NAME  DESCRIPTION\na     as wide as it is\nb     日本語の説明は広い\n" + note; piped.String() != want {
		t.Errorf("a pipe gets %q, want %q", piped.String(), want)
	}

	keyboard, tty := openTerminal(t)
	defer tty.Close()
	if err := unix.IoctlSetWinsize(int(keyboard.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 20}); err != nil {
		t.Fatal(err)
	}
	if err := rows.write(tty, ""); err != nil {
		t.Fatal(err)
	}
	want := "NAME  DESCRIPTION\r\na     as wide as it…\r\nb     日本語の説明…\r\n" + note[:len(note)-1] + "\r\n"
	got := make([]byte, len(want))
	if n, err := keyboard.Read(got); err != nil || string(got[:n]) != want {
		t.Errorf("a terminal gets %q (%v), want %q", got, err, want)
	}
}
