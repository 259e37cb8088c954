//go:build !unix

package fswatch

import (
	"io/fs"
	"os"
)

// identity says which directory was at a path. The zero identity says that nobody knows. Two
// identities of one directory differ here as keys of a map, and no directory is found by it.
type identity struct{ info fs.FileInfo }

func identify(info fs.FileInfo) identity { return identity{info} }

// same reports whether both are known to be the same directory.
func (id identity) same(other identity) bool {
	return id.info != nil && other.info != nil && os.SameFile(id.info, other.info)
}
