package fswatch

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// unwatchable says why inotify does not report changes in dir; "" when it
// does. Network and user-space filesystems report only changes made through this
// machine's own mount.
func unwatchable(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "" // adding the watch says what is wrong
	}
	kind := ""
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC:
		kind = "nfs"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		kind = "cifs"
	case unix.FUSE_SUPER_MAGIC:
		kind = "fuse"
	case unix.V9FS_MAGIC:
		kind = "9p"
	case unix.CEPH_SUPER_MAGIC:
		kind = "ceph"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		kind = "afs"
	case unix.CODA_SUPER_MAGIC:
		kind = "coda"
	default:
		return ""
	}
	return kind + " filesystems do not report changes"
}

// maxFolders is half of the watches that the system gives one user: the editor and other programs
// need some too.
func maxFolders() int {
	const least = 8192 / 2 // of old kernels
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return least
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return least
	}
	return n / 2
}

// adviceForFolders says what to do when there are more folders than maxFolders.
const adviceForFolders = "raise the limit with: sysctl fs.inotify.max_user_watches=1048576"

// advice says what to do about err, a limit of the system.
func advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "raise the limit with: sysctl fs.inotify.max_user_watches=524288"
	}
	return "raise the limit with: sysctl fs.inotify.max_user_instances=512, or ulimit -n"
}

// watchMounts calls changed whenever something was mounted or unmounted, which inotify
// does not report, and perhaps for nothing. stop ends that. Without
// /proc it never calls changed.
func watchMounts(changed func()) (stop func()) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return func() {}
	}
	conn, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return func() {}
	}
	begun, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		// The kernel marks the file ready on every change (proc(5), /proc/pid/mounts).
		// Read forgets what was ready before it begins, then asks before it waits. The
		// first call is not a change, but only from then on does it notice changes.
		first := true
		_ = conn.Read(func(uintptr) (ended bool) {
			if first {
				close(begun)
				first = false
			} else {
				changed()
			}
			return false
		})
	}()
	select {
	case <-begun:
	case <-done:
	}
	return func() {
		f.Close()
		<-done
	}
}
