package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A definition is a server as mcp.json defines it.
type definition struct {
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Roots   []string `json:"roots,omitempty"`
}

// bare is a server without an SDK.
func (p programs) bare() definition {
	return definition{Command: p.server, Args: []string{"-bare", "10"}}
}

// startTimeout bounds the wait for a program.
const startTimeout = 30 * time.Second

// A place is a temporary directory with the socket, configuration, and state of one daemon, which
// runs there.
type place struct {
	daemon string // the binary
	dir    string
	socket string
	folder string // of the editors' workspace

	cmd *exec.Cmd
	end context.CancelFunc // begins its end
}

// newPlace starts a daemon whose user has these servers.
func newPlace(daemon, folder string, servers map[string]definition) (*place, error) {
	dir, err := os.MkdirTemp("", "mcp-editord-bench-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	p := &place{daemon: daemon, dir: dir, socket: filepath.Join(dir, "daemon.sock"), folder: folder}
	config, err := json.Marshal(map[string]any{"servers": servers})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "mcp.json"), config, 0o600)
	}
	if err == nil {
		p.cmd, p.end = p.command("serve")
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	for end := time.Now().Add(startTimeout); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("unix", p.socket)
		if err == nil {
			return p, conn.Close()
		}
		if time.Now().After(end) {
			p.close()
			return nil, fmt.Errorf("the daemon does not accept within %v: %w", startTimeout, err)
		}
	}
}

// command returns a command of the daemon's binary that uses none of the user's files, and what
// begins its end; it is killed when it does not end then.
func (p *place) command(args ...string) (*exec.Cmd, context.CancelFunc) {
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, p.daemon, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = startTimeout
	cmd.Dir, cmd.Stderr = p.dir, os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_STATE_HOME="+filepath.Join(p.dir, "state"),
		"MCP_EDITORD_SOCKET="+p.socket, "MCP_EDITORD_CONFIG="+filepath.Join(p.dir, "mcp.json"),
		"MCP_EDITORD_IDLE_TIMEOUT=2m") // in case that nobody is left to end it
	return cmd, end
}

// close ends the daemon and its servers and removes the place. How they end is no concern here.
func (p *place) close() {
	p.end()
	_ = p.cmd.Wait()
	_ = os.RemoveAll(p.dir)
}

// inPlace runs a function with an editor in a new place.
func inPlace(daemon, folder string, servers map[string]definition, do func(p *place, e *editor) error) error {
	p, err := newPlace(daemon, folder, servers)
	if err != nil {
		return err
	}
	defer p.close()
	e, err := p.open(false)
	if err != nil {
		return err
	}
	defer e.close()
	return do(p, e)
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
