//go:build unix

package secrets

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// notOurs returns why a file is not this user's alone; nil when it is.
func notOurs(path string, info fs.FileInfo) *trouble {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return &trouble{why: fmt.Sprintf("the file %s belongs to somebody else", path), todo: "delete it"}
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return &trouble{why: fmt.Sprintf("others may get at %s, which has mode %04o", path, mode), todo: "run: chmod 600 " + safetext.ShellWord(path)}
	}
	return nil
}
