//go:build unix

package ipc

import (
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What a program serves on waits in no thread, and others who have the same pipes open see no difference
// afterwards.
func TestStdio(t *testing.T) {
	stdin, agentOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	agentIn, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{stdin, agentOut, agentIn, stdout} {
		defer f.Close()
	}
	blocking := func() (flags []int) {
		for _, f := range []*os.File{stdin, stdout} {
			onFD(f, func(fd int) {
				if err := unix.SetNonblock(fd, false); err != nil {
					t.Fatal(err)
				}
				n, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
				if err != nil {
					t.Fatal(err)
				}
				flags = append(flags, n)
			})
		}
		return flags
	}
	before := blocking()
	in, out, restore := Stdio(stdin, stdout)
	now, ok := out.(interface {
		TryWrite(b []byte) (int, error)
	})
	if !ok {
		t.Fatalf("stdout is a %T", out)
	}
	taken := 0
	for {
		n, err := now.TryWrite(make([]byte, 10_000))
		if err != nil {
			t.Fatal(err)
		}
		taken += n
		if n == 0 {
			break // and this test goes on, though nobody reads
		}
	}
	if _, err := io.ReadFull(agentIn, make([]byte, taken)); err != nil {
		t.Fatal(err)
	}
	if _, err := agentOut.WriteString("hello"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len("hello"))
	if _, err := io.ReadFull(in, got); err != nil || string(got) != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
	restore()
	if _, err := in.Read(got); err == nil {
		t.Error("what was restored is still read")
	}
	for i, f := range []*os.File{stdin, stdout} {
		onFD(f, func(fd int) {
			if n, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || n != before[i] {
				t.Errorf("the flags of descriptor %d are %x, want %x (%v)", i, n, before[i], err)
			}
		})
	}
}

// What is no pipe stays as it is.
func TestStdioOfOtherThings(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text := strings.NewReader("x")
	for _, stdin := range []io.Reader{file, text} {
		in, out, restore := Stdio(stdin, file)
		if in != stdin || out != io.Writer(file) {
			t.Errorf("%T became %T, and stdout %T", stdin, in, out)
		}
		restore()
	}
}
