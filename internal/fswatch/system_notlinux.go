//go:build !linux

package fswatch

// advice says what to do about a limit: kqueue takes a descriptor for every
// entry of a watched directory.
func advice(error) string { return "raise the limit of open files with: ulimit -n 65536" }

// watchMounts does nothing: where a volume is mounted a directory comes and goes.
func watchMounts(func()) (stop func()) { return func() {} }
