//go:build !linux && !darwin

package fswatch

// unwatchable knows no filesystem here that does not report changes.
func unwatchable(string) string { return "" }

// maxFolders bounds the folders of all Folders. On Windows each takes a handle and a buffer.
func maxFolders() int { return 500 }
