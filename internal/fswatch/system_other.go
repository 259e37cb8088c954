//go:build !linux && !darwin

package fswatch

// unwatchable knows no filesystem here that does not report changes.
func unwatchable(string) string { return "" }
