package ipc

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
)

// ServerOwner identifies the daemon of p as the owner of the servers that it starts. Two spellings
// of one socket give the same owner once its directory exists.
func (p Paths) ServerOwner() procgroup.Owner {
	sum := sha256.Sum256([]byte(canonical(p.Socket)))
	return procgroup.Owner(hex.EncodeToString(sum[:8]))
}

// UnderDaemon reports whether the daemon of p has started the program with this environment (lines of
// NAME=value), as a server or below one. If such a program attaches, the daemon waits for itself.
func UnderDaemon(p Paths, environ []string) bool {
	if p.ServerOwner().Started(environ) {
		return true
	}
	r, err := readRecord(p.stateLockFile())
	return err == nil && Paths{Socket: r.socket}.ServerOwner().Started(environ)
}

// Reap ends the servers that an earlier daemon left behind when it was killed, and
// returns the ids of the processes that it ended.
func (l *Listener) Reap() ([]int, error) { return l.paths.ServerOwner().Reap() }
