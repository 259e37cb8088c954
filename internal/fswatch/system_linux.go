package fswatch

import (
	"errors"
	"os"
	"slices"
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

	text, _ := os.ReadFile("/proc/sys/fs/inotify/max_user_watches") // nothing is no number
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

// mountTable lists what is mounted for this process (proc(5), /proc/pid/mountinfo).
const mountTable = "/proc/self/mountinfo"

// watchMounts calls changed whenever something was mounted or unmounted, which inotify
// does not report, with the paths where that happened. stop ends that. Without
// /proc it never calls changed.
func watchMounts(changed func(points []string)) (stop func()) {
	f, err := os.Open(mountTable)
	if err != nil {
		return func() {}
	}
	conn, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return func() {}
	}
	before := readMounts() // after the file was opened: it is ready on every change since then
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The kernel marks the file ready on every change (proc(5), /proc/pid/mounts).
		// Read forgets what was ready before it begins, then asks before it waits.
		_ = conn.Read(func(uintptr) (ended bool) {
			now := readMounts()
			if points := differentMounts(before, now); len(points) > 0 {
				changed(points)
			}
			before = now
			return false
		})
	}()
	return func() {
		f.Close()
		<-done
	}
}

// readMounts returns the path of each mount by the line that describes it. Without a table
// that is nothing.
func readMounts() map[string]string {
	text, err := os.ReadFile(mountTable)
	if err != nil {
		return nil
	}
	mounts := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			mounts[line] = unescapeMount(fields[4])
		}
	}
	return mounts
}

// unescapeMount resolves the escapes of a path in the table.
var unescapeMount = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\043`, "#", `\134`, `\`).Replace

// differentMounts returns the paths of mounts that are in one table only; the root, above all
// paths, when there is no table.
func differentMounts(before, now map[string]string) (points []string) {
	if before == nil || now == nil {
		return []string{"/"}
	}
	for _, pair := range [][2]map[string]string{{before, now}, {now, before}} {
		for line, path := range pair[0] {
			if _, ok := pair[1][line]; !ok && !slices.Contains(points, path) {
				points = append(points, path)
			}
		}
	}
	return points
}
