package ipc

import (
	"bytes"
	"io"
	"testing"
)

// TryWrite takes what there is room for and never waits.
func TestTryWrite(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	l, _ := openListener(t, p)
	client, c := mustDial(t, p), acceptOne(t, l)
	fill := func() (sent int) {
		for {
			n, err := c.TryWrite(bytes.Repeat([]byte("x"), 10_000))
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				return sent
			}
			sent += n
		}
	}
	got := make([]byte, fill())
	if _, err := io.ReadFull(client, got); err != nil || bytes.Trim(got, "x") != nil {
		t.Errorf("got %.100q, %v", got, err)
	}
	if fill() == 0 {
		t.Error("nothing was taken though there was room")
	}
	c.Close()
	if n, err := c.TryWrite([]byte("x")); n != 0 || err == nil {
		t.Errorf("closed: %d, %v", n, err)
	}
}

// Close ends a Read that waits.
func TestCloseEndsRead(t *testing.T) {
	t.Parallel()
	p := tempPaths(t)
	l, _ := openListener(t, p)
	mustDial(t, p)
	c := acceptOne(t, l)
	began, read := make(chan struct{}), make(chan error)
	go func() {
		close(began)
		_, err := c.Read(make([]byte, 1))
		read <- err
	}()
	<-began
	c.Close()
	if err := <-read; err == nil {
		t.Error("no error")
	}
}
