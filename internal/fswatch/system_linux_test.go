package fswatch

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Fault folder-gone: inotify does not report a mount over a directory, and silently drops its
// watches when it is unmounted.
func TestMounts(t *testing.T) {
	x := newTree(t)
	x.mkdir("d/below")
	h, _ := realHub(t)
	_, told := x.watch(h, "d")
	if err := unix.Mount("tmpfs", x.at("d"), "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("this user may not mount:", err)
	}
	defer func() { _ = unix.Unmount(x.at("d"), unix.MNT_DETACH) }() // after a failure
	told.await(t, "mounted", func() bool { return x.see("d") == "dir" })
	x.mkdir("d/in")
	told.await(t, "a change in what is mounted", func() bool { return x.see("d") == "dir in" })
	x.must(unix.Unmount(x.at("d"), 0))
	told.await(t, "unmounted", func() bool { return x.see("d") == "dir below" })
	x.mkdir("d/more")
	told.await(t, "a change below", func() bool { return x.see("d") == "dir below more" })
}
