package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A place is a temporary directory with everything that a daemon would otherwise keep in
// the user's directories.
type place struct {
	binary string // absolute
	dir    string
}

// newPlace returns a place without a configuration.
func newPlace(binary string) (*place, error) {
	dir, err := os.MkdirTemp("", "mcp-editord-suite-") // short: a socket's path has room for about a hundred bytes
	return &place{binary: binary, dir: dir}, err
}

// configure configures one server. The daemon itself finds out which transport it speaks, and mostly which
// version.
func (p *place) configure(url string, a assignment, sc scenario) error {
	definition := map[string]any{"url": url}
	if a.version == oldAuthorization { // the suite's server speaks later ones too
		definition["protocol"] = a.version
	}
	if sc.oauth != nil {
		oauth, err := sc.oauth(p.dir, a.context)
		if err != nil {
			return err
		}
		definition["oauth"] = oauth
	}
	return p.define(definition)
}

// define writes the configuration, with one server.
func (p *place) define(definition map[string]any) error {
	config, err := json.Marshal(map[string]any{"credentials": "memory", "servers": map[string]any{server: definition}})
	if err != nil {
		return err
	}
	return os.WriteFile(p.path("mcp.json"), config, 0o600)
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// command returns mcp-editord with these arguments. It uses none of the user's files.
func (p *place) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.binary, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(),
		"HOME="+p.dir,
		"XDG_CONFIG_HOME="+p.path("config"),
		"XDG_STATE_HOME="+p.path("state"),
		"DBUS_SESSION_BUS_ADDRESS=unix:path="+p.path("bus"), // nobody's keyring
		"MCP_EDITORD_SOCKET="+p.path("daemon.sock"),
		"MCP_EDITORD_CONFIG="+p.path("mcp.json"),
	)
	return cmd
}

// close stops the daemon if it still runs, and removes the place. The suite's server
// waits until the daemon has closed its streams.
func (p *place) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Second)
	defer cancel()
	if out, err := p.command(ctx, "stop").CombinedOutput(); err != nil {
		return fmt.Errorf("stopping the daemon: %w: %s (its files are in %s)", err, bytes.TrimSpace(out), p.dir)
	}
	return os.RemoveAll(p.dir)
}
