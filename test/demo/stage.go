package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A stage is where the demonstration happens: a temporary directory with a workspace and
// everything that the daemon would otherwise keep in the user's directories.
type stage struct {
	binary    string // absolute
	dir       string // canonical
	workspace string
	socket    string
}

// mcpJSON is the user's configuration: the built-in server and its folders.
const mcpJSON = `{
  // what the server may look at: the folder itself and each package
  "servers": { "workspace": { "enabled": true, "roots": ["${workspaceFolder}", "packages/*"] } },
}
`

// files are the configuration and the sample workspace.
var files = map[string]string{
	"config/mcp-editord/mcp.json":     mcpJSON,
	"coffee/README.md":                "# Coffee\n\nTakes orders for coffee.\n",
	"coffee/main.go":                  "package main\n\nfunc main() { order(\"espresso\") }\n",
	"coffee/packages/orders/order.go": "package orders\n\n// TODO: prices\nfunc order(what string) {}\n",
}

func newStage(binary string) (*stage, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mcp-editord-demo-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	s := &stage{
		binary: binary, dir: dir, workspace: filepath.Join(dir, "coffee"),
		socket: filepath.Join(dir, "daemon.sock"), // short: a socket's path has room for about a hundred bytes
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return s, nil
}

// command returns mcp-editord with these arguments. It uses none of the user's files.
func (s *stage) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.binary, args...)
	cmd.Dir = s.workspace
	cmd.Env = append(os.Environ(),
		"HOME="+s.dir,
		"XDG_CONFIG_HOME="+filepath.Join(s.dir, "config"),
		"XDG_STATE_HOME="+filepath.Join(s.dir, "state"),
		"MCP_EDITORD_SOCKET="+s.socket,
		"MCP_EDITORD_CONFIG="+filepath.Join(s.dir, "config", "mcp-editord", "mcp.json"),
	)
	return cmd
}

// close stops the daemon if it still runs, and removes the stage.
func (s *stage) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if out, err := s.command(ctx, "stop").CombinedOutput(); err != nil {
		return fmt.Errorf("stopping the daemon: %w: %s (its files are in %s)", err, bytes.TrimSpace(out), s.dir)
	}
	return os.RemoveAll(s.dir)
}

// running tells whether a process exists and has not ended.
func running(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return !bytes.Contains(stat, []byte(") Z "))
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// endsSoon tells whether a process that is about to end does so within a second.
func endsSoon(pid int) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 100 {
		if !running(pid) {
			return true
		}
		<-tick.C
	}
	return false
}
