//go:build unix

package ipc

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"initializationOptions":{"environment":{}}}}`

// twoWays are the kinds of pipes that editors give a language server.
var twoWays = map[string]func(*testing.T) (r, w *os.File){"pipes": osPipe, "sockets": socketPair}

func osPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, r, w)
	return r, w
}

func socketPair(t *testing.T) (r, w *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	var files [2]*os.File
	for i, fd := range fds {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			t.Fatal(err)
		}
		files[i] = os.NewFile(uintptr(fd), "socket")
	}
	closeAtEnd(t, files[0], files[1])
	return files[0], files[1]
}

func closeAtEnd(t *testing.T, files ...*os.File) {
	t.Cleanup(func() {
		for _, f := range files {
			f.Close()
		}
	})
}

// handedShim is an Attach whose editor can be handed over, with the test as editor and as daemon.
type handedShim struct {
	stdin  *os.File // the editor's ends
	stdout *os.File
	in     *os.File // those of Attach
	out    *os.File
	ended  chan error
	p      Paths
	l      *Listener
	cancel context.CancelFunc
}

func attachFiles(t *testing.T, open func(*testing.T) (r, w *os.File)) *handedShim {
	t.Helper()
	s := &handedShim{ended: make(chan error, 1), p: tempPaths(t)}
	s.in, s.stdin = open(t)
	s.stdout, s.out = open(t)
	s.l, _ = openListener(t, s.p)
	s.start(t)
	return s
}

func (s *handedShim) start(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	t.Cleanup(func() {
		cancel()
		s.stdin.Close() // ends the Read that is under way
	})
	go func() { s.ended <- Attach(ctx, s.p, s.in, s.out, nil, "") }()
}

// handOver says initialize, and returns the daemon's side when the editor has been handed over.
func (s *handedShim) handOver(t *testing.T) *Conn {
	t.Helper()
	first := frame(initialize)
	say(t, s.stdin, first)
	c := acceptOne(t, s.l)
	hear(t, c, first)
	if c.stage != handed {
		t.Fatal("the editor was not handed over")
	}
	return c
}

func say(t *testing.T, to io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(to, text); err != nil {
		t.Error(err)
	}
}

// hear checks that text comes next.
func hear(t *testing.T, from io.Reader, text string) {
	t.Helper()
	got := make([]byte, len(text))
	if n, err := io.ReadFull(from, got); err != nil {
		t.Fatalf("after %q: %v", got[:n], err)
	}
	if string(got) != text {
		t.Fatalf("got %.100q, want %.100q", got, text)
	}
}

func eachWay(t *testing.T, run func(t *testing.T, open func(*testing.T) (r, w *os.File))) {
	for name, open := range twoWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, open)
		})
	}
}

// Whatever the editor says with its first message or after it, and however long that is, arrives once
// and in order, and so does what the daemon says.
func TestHandOver(t *testing.T) {
	long := strings.Replace(initialize, `{}`, `{"A":"`+strings.Repeat("a", 1<<20)+`"}`, 1)
	for name, said := range map[string]struct{ first, with string }{
		"one message":            {first: frame(initialize)},
		"more in the same write": {first: frame(initialize), with: frame(`{}`) + "Content-Le"},
		"a long message":         {first: frame(long), with: frame(`{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
				s := attachFiles(t, open)
				later := strings.Repeat("later\x00\xff", 1<<17)
				go func() {
					say(t, s.stdin, said.first+said.with)
					say(t, s.stdin, later)
					s.stdin.Close()
				}()
				c := acceptOne(t, s.l)
				hear(t, c, said.first)
				hear(t, c, said.with+later)
				if c.stage != handed {
					t.Error("the editor was not handed over")
				}

				down := strings.Repeat("down\r\n", 1<<17)
				go func() {
					say(t, c, down)
					c.Close()
				}()
				hear(t, s.stdout, down)
				if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF && c.stage != closed {
					t.Errorf("then the daemon got %d bytes, %v", n, err)
				}
				if err := <-s.ended; err != nil {
					t.Errorf("Attach returned %v", err)
				}
				s.out.Close()
				hearEnd(t, s.stdout)
			})
		})
	}
}

func hearEnd(t *testing.T, from io.Reader) {
	t.Helper()
	if b, err := io.ReadAll(from); err != nil || len(b) > 0 {
		t.Errorf("got %q, %v; want the end", b, err)
	}
}

// The daemon closes. Attach says why, though it has not seen what the editor said.
func TestHandedOverEnds(t *testing.T) {
	exit := frame(`{"jsonrpc":"2.0", "method":"exit"}`)
	tests := []struct {
		name string
		said string // by the editor; "" means that it closes stdin
		gone bool   // the daemon, not only the connection
		want string // in the error; "" means none
	}{
		{name: "the editor closes stdin"},
		{name: "after exit", said: exit},
		{name: "after exit, the daemon has ended", said: exit, gone: true},
		{name: "the connection", said: frame(`{}`), want: "closed the connection"},
		{name: "exit was not the last", said: exit + frame(`{}`), want: "closed the connection"},
		{name: "the daemon has ended", said: frame(`{}`), gone: true, want: "the daemon has ended"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
				s := attachFiles(t, open)
				c := s.handOver(t)
				if test.said == "" {
					s.stdin.Close()
					hearEnd(t, c)
				} else {
					say(t, s.stdin, test.said)
					hear(t, c, test.said)
				}
				if test.gone {
					if err := s.l.Close(); err != nil {
						t.Fatal(err)
					}
				}
				c.Close()
				switch err := <-s.ended; {
				case test.want == "":
					if err != nil {
						t.Errorf("Attach returned %v", err)
					}
				case err == nil:
					t.Error("no error")
				case !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), s.p.LogFile()):
					t.Errorf("%q does not say %q and where the log is", err, test.want)
				}
			})
		})
	}
}

// Exit may come with initialize, before the editor is handed over.
func TestExitWithInitialize(t *testing.T) {
	t.Parallel()
	s := attachFiles(t, osPipe)
	said := frame(initialize) + frame(`{"method":"exit"}`)
	say(t, s.stdin, said)
	c := acceptOne(t, s.l)
	hear(t, c, said)
	c.Close()
	if err := <-s.ended; err != nil {
		t.Errorf("Attach returned %v", err)
	}
}

// Attach does not wait for a daemon that does not notice that the editor is gone.
func TestHandedOverEndsWithoutTheDaemon(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
		s := attachFiles(t, open)
		s.handOver(t)
		s.stdin.Close()
		if err := <-s.ended; err != nil {
			t.Errorf("Attach returned %v", err)
		}
	})
}

func TestHandedOverCancelled(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
		s := attachFiles(t, open)
		c := s.handOver(t)
		s.cancel()
		if err := <-s.ended; err != context.Canceled {
			t.Errorf("Attach returned %v", err)
		}
		hearEnd(t, c)
	})
}

// An editor that is killed before it has read everything is gone, and that is all.
func TestEditorLeavesUnread(t *testing.T) {
	t.Parallel()
	r, w := socketPair(t) // as some editors have it: one socket for both
	s := &handedShim{ended: make(chan error, 1), p: tempPaths(t), in: r, out: r, stdin: w, stdout: w}
	s.l, _ = openListener(t, s.p)
	s.start(t)
	c := s.handOver(t)
	say(t, c, "unread")
	w.Close()
	hearEnd(t, c)
	c.Close()
	if err := <-s.ended; err != nil {
		t.Errorf("Attach returned %v", err)
	}
}

// TryWrite takes what there is room for and never waits.
func TestTryWrite(t *testing.T) {
	t.Parallel()
	fill := func(t *testing.T, c *Conn) (sent int) {
		t.Helper()
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
	run := func(t *testing.T, c *Conn, editor io.Reader) {
		sent := fill(t, c)
		hear(t, editor, strings.Repeat("x", sent))
		if fill(t, c) == 0 {
			t.Error("nothing was taken though there was room")
		}
		c.Close()
		if n, err := c.TryWrite([]byte("x")); n != 0 || err == nil {
			t.Errorf("closed: %d, %v", n, err)
		}
	}
	eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
		s := attachFiles(t, open)
		run(t, s.handOver(t), s.stdout)
	})
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		p := tempPaths(t)
		l, _ := openListener(t, p)
		client := mustDial(t, p)
		run(t, acceptOne(t, l), client)
	})
}

// Close ends a Read that waits, wherever it reads from.
func TestCloseEndsRead(t *testing.T) {
	t.Parallel()
	end := func(t *testing.T, c *Conn) {
		t.Helper()
		began, read := make(chan struct{}), make(chan error)
		go func() {
			close(began)
			n, err := c.Read(make([]byte, 1))
			if n != 0 {
				t.Errorf("read %d bytes", n)
			}
			read <- err
		}()
		<-began
		c.Close()
		if err := <-read; err == nil {
			t.Error("no error")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		p := tempPaths(t)
		l, _ := openListener(t, p)
		mustDial(t, p)
		end(t, acceptOne(t, l))
	})
	eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
		end(t, attachFiles(t, open).handOver(t))
	})
}
