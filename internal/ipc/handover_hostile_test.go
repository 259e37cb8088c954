//go:build unix

package ipc

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openFiles returns how many descriptors this process has.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// awaitOpenFiles waits until this process has no more than most descriptors.
func awaitOpenFiles(t *testing.T, most int) {
	t.Helper()
	const patience = 30 * time.Second
	for begin := time.Now(); openFiles(t) > most; runtime.Gosched() {
		if time.Since(begin) > patience {
			t.Fatalf("%d descriptors were open, and now there are %d", most, openFiles(t))
		}
	}
}

// pass sends b with descriptors of files.
func pass(t *testing.T, to net.Conn, b string, files ...*os.File) {
	t.Helper()
	var fds []int
	for _, f := range files {
		onFD(f, func(fd int) { fds = append(fds, fd) })
	}
	if _, _, err := to.(*dialed).WriteMsgUnix([]byte(b), unix.UnixRights(fds...), nil); err != nil {
		t.Fatal(err)
	}
}

// Fault bad-hand-over: who connects sends descriptors that are no editor's stdin and stdout. The
// connection ends and nothing of what was sent stays open. It counts what the whole process has
// open, so it does not run beside others.
func TestHostileHandOver(t *testing.T) {
	in, stdin := osPipe(t)
	stdout, out := osPipe(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, file, null)
	datagrams, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	datagram := os.NewFile(uintptr(datagrams[0]), "datagrams")
	closeAtEnd(t, datagram, os.NewFile(uintptr(datagrams[1]), "datagrams"))

	tests := []struct {
		name  string
		files []*os.File
		want  string // in the error
	}{
		{"one", []*os.File{in}, "1 descriptors"},
		{"three", []*os.File{in, out, out}, "3 descriptors"},
		{"as many as one can", slices.Repeat([]*os.File{in}, 253), "253 descriptors"},
		{"a file as stdin", []*os.File{file, out}, "neither a pipe nor a stream socket"},
		{"a device as stdout", []*os.File{in, null}, "neither a pipe nor a stream socket"},
		{"datagrams", []*os.File{datagram, out}, "neither a pipe nor a stream socket"},
		{"the wrong way round", []*os.File{out, in}, "the other direction"},
		{"stdin's other end", []*os.File{stdin, out}, "the other direction"},
		{"stdout's other end", []*os.File{in, stdout}, "the other direction"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := tempPaths(t)
			l, _ := openListener(t, p)
			client := mustDial(t, p)
			c := acceptOne(t, l)
			before := openFiles(t)
			say(t, client, "x")
			pass(t, client, "y", test.files...)
			b, err := io.ReadAll(c)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(b) > 1 {
				t.Errorf("read %q, %v; want an error that says %q", b, err, test.want)
			}
			awaitOpenFiles(t, before)
		})
	}
}

// Fault no-descriptors: the daemon can have only one of the two descriptors. It gives that back too.
func TestHandOverWithoutDescriptors(t *testing.T) {
	in, _ := osPipe(t)
	_, out := osPipe(t)
	p := tempPaths(t)
	l, _ := openListener(t, p)
	client := mustDial(t, p)
	c := acceptOne(t, l)
	// The lowest number that is free is always taken, so there is none below that of last.
	last, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(last)
	before := openFiles(t)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
	}()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(last) + 2, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	pass(t, client, "x", in, out)
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d bytes, %v", n, err)
	}
	awaitOpenFiles(t, before)
}

// Descriptors that come when nobody can be handed over any more are dropped, and none that come
// after a hand-over are taken.
func TestLateHandOver(t *testing.T) {
	in, _ := osPipe(t)
	_, out := osPipe(t)

	t.Run("to a session on the socket", func(t *testing.T) {
		p := tempPaths(t)
		l, _ := openListener(t, p)
		client := mustDial(t, p)
		c := acceptOne(t, l)
		say(t, c, "an answer")
		before := openFiles(t)
		pass(t, client, "x", in, out)
		hear(t, c, "x")
		awaitOpenFiles(t, before)
		exchange(t, client, c)
	})
	t.Run("to a Read that began before the first answer", func(t *testing.T) {
		p := tempPaths(t)
		l, _ := openListener(t, p)
		client := mustDial(t, p)
		c := acceptOne(t, l)
		before := openFiles(t)
		// What Read does, with an answer in between.
		pass(t, client, "x", in, out)
		say(t, c, "an answer")
		if n, err := c.receive(make([]byte, 8)); n != 0 || err == nil {
			t.Errorf("read %d bytes, %v", n, err)
		}
		awaitOpenFiles(t, before)
	})
	t.Run("a second one", func(t *testing.T) {
		p := tempPaths(t)
		l, _ := openListener(t, p)
		client := mustDial(t, p)
		c := acceptOne(t, l)
		before := openFiles(t)
		pass(t, client, "x", in, out)
		hear(t, c, "x")
		hear(t, client, "\x00")
		pass(t, client, "y", in, out)
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, errSpoke) {
			t.Errorf("got %v", err)
		}
		awaitOpenFiles(t, before)
		c.Close()
		if b, _ := io.ReadAll(client); len(b) > 0 {
			t.Errorf("the client got %q", b)
		}
	})
}

// When attach is killed, its session ends at once: the descriptors are closed, and the editor sees the
// end. So it is when nobody reads.
func TestAttachKilled(t *testing.T) {
	for name, open := range twoWays {
		t.Run(name, func(t *testing.T) {
			p := tempPaths(t)
			l, _ := openListener(t, p)
			in, stdin := open(t)
			stdout, out := open(t)
			client := mustDial(t, p)
			c := acceptOne(t, l)
			pass(t, client, "x", in, out)
			hear(t, c, "x")
			closesOnExec(t, c)
			in.Close()
			out.Close()

			client.Close()
			hearEnd(t, stdout)
			if _, err := stdin.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("the editor's write: %v", err)
			}
			hearEnd(t, c)
			if _, err := c.Write([]byte("x")); err == nil {
				t.Error("a write succeeds")
			}
		})
	}
}

// closesOnExec checks that no child process gets what c has.
func closesOnExec(t *testing.T, c *Conn) {
	t.Helper()
	for _, p := range []*pipe{c.editor.in, c.editor.out} {
		onFD(p.f, func(fd int) {
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
				t.Errorf("flags %#x, %v", flags, err)
			}
		})
	}
}

// Whoever shares the pipes may make them block. The daemon does not wait all the same: neither in
// TryWrite, nor in Close while a Read waits.
func TestFlagsTakenAway(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system cannot do without the flags: see newPipe")
	}
	for name, open := range twoWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := attachFiles(t, open)
			c := s.handOver(t)
			for _, f := range []*os.File{s.in, s.out} {
				onFD(f, func(fd int) { unix.SetNonblock(fd, false) })
			}
			for n := 1; n > 0; {
				var err error
				if n, err = c.TryWrite(make([]byte, 10_000)); err != nil {
					t.Fatal(err)
				}
			}
			read := make(chan error)
			go func() {
				_, err := c.Read(make([]byte, 1))
				read <- err
			}()
			say(t, s.stdin, "x")
			if err := <-read; err != nil {
				t.Fatal(err)
			}
			go func() {
				_, err := c.Read(make([]byte, 1))
				read <- err
			}()
			c.Close()
			if err := <-read; err == nil {
				t.Error("a Read outlives Close")
			}
		})
	}
}
