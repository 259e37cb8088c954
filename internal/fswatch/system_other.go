//go:build !linux && !darwin

package fswatch

// unwatchable knows of no filesystem that does not report changes.
func unwatchable(string) string { return "" }
