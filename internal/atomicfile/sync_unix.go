//go:build unix

package atomicfile

import "os"

// syncFolder makes a rename in the folder survive a loss of power. The rename holds without it, so
// there is nothing to do about an error.
func syncFolder(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Sync()
}
