// Package deaddisk mounts a disk that never answers, like a network mount whose server has gone:
// whoever asks it for anything waits.
package deaddisk

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Mount mounts a dead disk at dir until the test ends. It skips the test where mounting is not
// allowed.
func Mount(t testing.TB, dir string) {
	t.Helper()
	// A FUSE file system whose other end reads nothing.
	dev, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no FUSE:", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", dev.Fd(), os.Getuid(), os.Getgid())
	if err := unix.Mount("dead", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		dev.Close()
		t.Skip("mounting is not allowed:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmounting the dead disk: %v", err)
		}
		dev.Close() // everybody who waits gets an error
	})
}
