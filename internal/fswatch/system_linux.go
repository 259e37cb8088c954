package fswatch

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// silent are the filesystems that report only changes made through this machine's own mount: network and
// user-space ones.
var silent = map[uint32]string{
	unix.NFS_SUPER_MAGIC: "nfs",
	unix.SMB_SUPER_MAGIC: "cifs", unix.SMB2_SUPER_MAGIC: "cifs", unix.CIFS_SUPER_MAGIC: "cifs",
	unix.FUSE_SUPER_MAGIC: "fuse",
	unix.V9FS_MAGIC:       "9p",
	unix.CEPH_SUPER_MAGIC: "ceph",
	unix.AFS_SUPER_MAGIC:  "afs", unix.AFS_FS_MAGIC: "afs",
	unix.CODA_SUPER_MAGIC: "coda",
}

// unwatchable says why inotify does not report changes in dir; "" when it
// does.
func unwatchable(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "" // adding the watch says what is wrong
	}
	if kind := silent[uint32(st.Type)]; kind != "" {
		return kind + " filesystems do not report changes"
	}
	return ""
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

// watchMounts calls changed whenever something was mounted or unmounted, which inotify does not
// report: a watch ends silently with its mount. stop ends that. Without /proc it never calls
// changed.
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
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The kernel marks the file ready on every change (proc(5), /proc/pid/mounts).
		// Read asks before it waits for the first one.
		changes := -1
		_ = conn.Read(func(uintptr) (ended bool) {
			if changes++; changes > 0 {
				changed()
			}
			return false
		})
	}()
	return func() {
		f.Close()
		<-done
	}
}
