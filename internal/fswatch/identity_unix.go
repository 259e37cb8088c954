//go:build unix

package fswatch

import (
	"io/fs"
	"syscall"
)

// identity says which directory was at a path. The zero identity says that nobody knows.
type identity struct{ dev, ino uint64 }

func identify(info fs.FileInfo) identity {
	if info == nil {
		return identity{}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(st.Dev), st.Ino}
}

// same reports whether both are known to be the same directory.
func (id identity) same(other identity) bool { return id == other && id != identity{} }
