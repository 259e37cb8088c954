//go:build unix

package nowait

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// end is what all ends in these tests can do.
type end interface {
	io.ReadWriteCloser
	syscall.Conn
}

func pipe(t *testing.T) (reads, writes end) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func socket(t *testing.T) (reads, writes end) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return r.(end), w.(end)
}

// both runs a test for a pipe and for a socket.
func both(t *testing.T, run func(t *testing.T, reads, writes end)) {
	for name, open := range map[string]func(*testing.T) (end, end){"pipe": pipe, "socket": socket} {
		t.Run(name, func(t *testing.T) {
			reads, writes := open(t)
			t.Cleanup(func() {
				reads.Close()
				writes.Close()
			})
			run(t, reads, writes)
		})
	}
}

// Write takes no more than there is room for, says so without an error, and takes more when there is
// room again. All that it took arrives.
func TestWriteUntilFull(t *testing.T) {
	both(t, func(t *testing.T, reads, writes end) {
		var sent []byte
		w := NewWriter(writes)
		fill := func() {
			t.Helper()
			for {
				b := bytes.Repeat([]byte{byte(len(sent) >> 10)}, 10_000)
				n, err := w.Write(b)
				if err != nil {
					t.Fatal(err)
				}
				sent = append(sent, b[:n]...)
				if n == 0 {
					return
				}
			}
		}
		fill()
		full := len(sent)
		got := make([]byte, full)
		if _, err := io.ReadFull(reads, got); err != nil {
			t.Fatal(err)
		}
		fill()
		if len(sent) == full {
			t.Error("nothing was taken though there was room")
		}
		writes.Close()
		rest, err := io.ReadAll(reads)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(got, rest...), sent) {
			t.Errorf("%d bytes arrived, not the %d that were taken", full+len(rest), len(sent))
		}
	})
}

func TestWriteTakesNothing(t *testing.T) {
	both(t, func(t *testing.T, reads, writes end) {
		w := NewWriter(writes)
		if n, err := w.Write(nil); n != 0 || err != nil {
			t.Errorf("nothing: %d, %v", n, err)
		}
		reads.Close()
		if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, syscall.EPIPE) {
			t.Errorf("nobody reads: %d, %v; want EPIPE", n, err)
		}
		writes.Close()
		for _, w := range []*Writer{w, NewWriter(writes)} {
			if n, err := w.Write([]byte("x")); n != 0 || err == nil {
				t.Errorf("closed: %d, %v; want an error", n, err)
			}
		}
	})
}

// A Writer makes its memory once.
func TestWriteAllocatesNothing(t *testing.T) {
	both(t, func(t *testing.T, reads, writes end) {
		w, b := NewWriter(writes), make([]byte, 100)
		got := testing.AllocsPerRun(100, func() {
			if n, err := w.Write(b); n != len(b) || err != nil {
				t.Fatalf("got %d, %v", n, err)
			}
			if _, err := io.ReadFull(reads, b); err != nil {
				t.Fatal(err)
			}
		})
		if got > 0 {
			t.Errorf("a write allocates %v times", got)
		}
	})
}
