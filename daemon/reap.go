package daemon

import (
	"path/filepath"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
)

// serverOwner is the daemon of p as the one who starts servers.
func serverOwner(p Paths) procgroup.Owner {
	return procgroup.Owner{Name: ownerID(p), Dir: filepath.Join(p.StateDir, "running")}
}

// reap ends the servers that an earlier daemon of p left behind when it was
// killed, and returns the ids of the processes that it ended. The caller holds the
// daemon's lock: the servers of a daemon that lives carry the same name.
func reap(p Paths) ([]int, error) {
	return serverOwner(p).Reap()
}
