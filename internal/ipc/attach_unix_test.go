//go:build unix

package ipc

import (
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// socketPair returns the ends of a socket: some editors have one for both directions.
func socketPair(t *testing.T) (editor, shim *os.File) {
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
		t.Cleanup(func() { files[i].Close() })
	}
	return files[0], files[1]
}

// An editor that is killed before it has read everything is gone, and that is all. So is one that
// takes nothing any more.
func TestAttachEditorIsGone(t *testing.T) {
	for name, unread := range map[string]bool{"with something unread": true, "while the daemon writes": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			editor, shim := socketPair(t)
			s := attachOn(t, shim, shim)
			if unread {
				// Attach has written it when the socket has something to read.
				if _, err := io.WriteString(s.daemon, "unread"); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(editor, make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				editor.Close()
			} else {
				editor.Close()
				io.WriteString(s.daemon, "too late") // attach may have gone
			}
			if b, err := io.ReadAll(s.daemon); err == nil && len(b) > 0 {
				t.Errorf("the daemon got %q", b)
			}
			s.daemon.Close()
			if err := <-s.ended; err != nil {
				t.Errorf("Attach returned %v", err)
			}
		})
	}
}
