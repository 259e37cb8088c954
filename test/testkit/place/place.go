// Package place is where programs run mcp-editord that touch nothing of the user's.
package place

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A Place is a temporary directory with everything that a daemon would otherwise keep in the user's
// directories.
type Place struct {
	Dir    string // canonical, and short: a socket's path has room for about a hundred bytes
	Socket string
	Config string // mcp.json, which nobody has written yet

	binary string // absolute
}

// New returns a place for a binary. The name of its directory begins with prefix.
func New(prefix, binary string) (*Place, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return &Place{Dir: dir, Socket: filepath.Join(dir, "daemon.sock"), Config: filepath.Join(dir, "mcp.json"), binary: binary}, nil
}

// Command returns mcp-editord with these arguments. It uses none of the user's files, and no keyring.
func (p *Place) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.binary, args...)
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(),
		"HOME="+p.Dir,
		"XDG_CONFIG_HOME="+filepath.Join(p.Dir, "config"),
		"XDG_STATE_HOME="+filepath.Join(p.Dir, "state"),
		"DBUS_SESSION_BUS_ADDRESS=unix:path="+filepath.Join(p.Dir, "bus"),
		"MCP_EDITORD_SOCKET="+p.Socket,
		"MCP_EDITORD_CONFIG="+p.Config,
	)
	return cmd
}

// Close stops the daemon if it still runs, and removes the place. The limit is for the daemon.
func (p *Place) Close(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if out, err := p.Command(ctx, "stop").CombinedOutput(); err != nil {
		return fmt.Errorf("stopping the daemon: %w: %s (its files are in %s)", err, bytes.TrimSpace(out), p.Dir)
	}
	return os.RemoveAll(p.Dir)
}
