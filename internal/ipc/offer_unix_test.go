//go:build unix

package ipc

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// An older daemon does not know of the hand-over. It reads as it always has, so the system drops the
// descriptors, and answers on the socket.
func TestOlderDaemon(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
		s := &handedShim{ended: make(chan error, 1), p: tempPaths(t)}
		s.in, s.stdin = open(t)
		s.stdout, s.out = open(t)
		if err := os.MkdirAll(filepath.Dir(s.p.Socket), 0o700); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", s.p.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		s.start(t)
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		said := frame(initialize) + frame(`{}`)
		say(t, s.stdin, said)
		hear(t, c, said)
		answer := frame(`{"id":1,"result":{}}`)
		say(t, c, answer)
		hear(t, s.stdout, answer)
		later := strings.Repeat("later", 1<<16)
		go say(t, s.stdin, later)
		hear(t, c, later)
		s.stdin.Close()
		hearEnd(t, c)
		c.Close()
		if err := <-s.ended; err != nil {
			t.Errorf("Attach returned %v", err)
		}
	})
}

// Only pipes and sockets are handed over, and only behind initialize.
func TestNotHandedOver(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T, text string) *os.File {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		closeAtEnd(t, f)
		return f
	}
	first := frame(initialize)
	tests := []struct {
		name string
		said string
		open func(t *testing.T) (in, out *os.File)
	}{
		{"stdin is a file", first, func(t *testing.T) (in, out *os.File) {
			_, out = osPipe(t)
			return file(t, first), out
		}},
		{"stdout is a file", first, func(t *testing.T) (in, out *os.File) {
			in, w := osPipe(t)
			say(t, w, first)
			return in, file(t, "")
		}},
		{"another message is the first", frame(`{"method":"exit"}`) + first, func(t *testing.T) (in, out *os.File) {
			in, w := osPipe(t)
			_, out = osPipe(t)
			say(t, w, frame(`{"method":"exit"}`)+first)
			return in, out
		}},
		{"no frame", "x\r\n", func(t *testing.T) (in, out *os.File) {
			in, w := osPipe(t)
			_, out = osPipe(t)
			say(t, w, "x\r\n")
			return in, out
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := tempPaths(t)
			l, _ := openListener(t, p)
			in, out := test.open(t)
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- Attach(ctx, p, in, out, nil, "") }()
			c := acceptOne(t, l)
			hear(t, c, test.said)
			if c.stage != fresh {
				t.Error("the editor was handed over")
			}
			cancel()
			<-ended
		})
	}
}

// Attach leaves the flags of the editor's pipes as they were. Whoever else has them open reads and
// writes as before.
func TestFlagsStay(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, open func(*testing.T) (r, w *os.File)) {
		for _, nonblock := range []bool{false, true} {
			s := &handedShim{ended: make(chan error, 1), p: tempPaths(t)}
			s.in, s.stdin = open(t)
			s.stdout, s.out = open(t)
			onFD(s.out, func(fd int) { unix.SetNonblock(fd, nonblock) })
			before := flagsOf(t, s.out)
			s.l, _ = openListener(t, s.p)
			s.start(t)
			c := s.handOver(t)
			say(t, c, "x")
			s.stdin.Close()
			hearEnd(t, c)
			c.Close()
			if err := <-s.ended; err != nil {
				t.Fatal(err)
			}
			if after := flagsOf(t, s.out); after != before {
				t.Errorf("the flags were %#x and are %#x", before, after)
			}
		}
	})
}

func flagsOf(t *testing.T, f *os.File) (flags int) {
	t.Helper()
	onFD(f, func(fd int) {
		var err error
		if flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil {
			t.Error(err)
		}
	})
	return flags
}
