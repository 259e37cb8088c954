package daemon

import "github.com/mcp-editord/mcp-editord/internal/procgroup"

// reap ends the servers that an earlier daemon of p left behind when it was
// killed, and returns the ids of the processes that it ended. The caller holds the
// daemon's lock: the servers of a daemon that lives carry the same name.
func reap(p Paths) ([]int, error) {
	return procgroup.Reap(ownerID(p))
}
