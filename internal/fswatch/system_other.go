//go:build !linux && !darwin

package fswatch

import "io/fs"

// unwatchable knows no filesystem here that does not report changes.
func unwatchable(string) string { return "" }

// maxFolders bounds the folders of all Folders. On Windows each takes a handle and a buffer.
func maxFolders() int { return 500 }

// identify knows no directory again.
func identify(fs.FileInfo) identity { return identity{} }
