//go:build unix

package agentconfig

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign reports whether a file belongs to another user: with sudo, replacing it would take it away
// from its owner.
func foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
