//go:build !linux

package fswatch

// advice says what to do about a limit: kqueue takes a descriptor for every
// entry of a watched directory.
func advice(error) string { return "raise the limit of open files with: ulimit -n 65536" }

// adviceForFolders says what to do when there are more folders than maxFolders.
const adviceForFolders = "make the glob narrower"

// watchMounts does nothing: on these systems a directory comes and goes with each mounted volume.
func watchMounts(func([]string)) (stop func()) { return func() {} }
