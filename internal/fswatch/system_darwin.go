package fswatch

import "golang.org/x/sys/unix"

// unwatchable says why kqueue does not report changes in dir; "" when it does. Network
// filesystems report only changes made through this machine's own mount.
func unwatchable(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return "" // adding the watch says what is wrong
	}
	return "network filesystems do not report changes"
}

// maxFolders bounds the folders of all Folders: kqueue takes a descriptor for each of them, and for
// every file in them. With 20 files in each they are 10,000.
func maxFolders() int { return 500 }
