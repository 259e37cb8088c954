package safeopen

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The owner of a file can lease it. Opening it then waits for the end of the lease, 45 seconds by
// default (fcntl(2), Leases).
func TestPromise4OpeningDoesNotWaitForALease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	leased, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer leased.Close()
	if _, err := unix.FcntlInt(leased.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip("no leases:", err)
	}
	f, err := File(path)
	if err == nil {
		f.Close()
	}
	if !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("got %v, want that it would wait", err)
	}
}
