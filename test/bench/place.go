package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	testplace "github.com/mcp-editord/mcp-editord/test/testkit/place"
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

// A place has one daemon, which runs there.
type place struct {
	*testplace.Place
	folder string // of the editors' workspace

	cmd *exec.Cmd
	end context.CancelFunc // begins its end
}

// newPlace starts a daemon whose user has these servers.
func newPlace(daemon, folder string, servers map[string]definition) (*place, error) {
	made, err := testplace.New("mcp-editord-bench-", daemon)
	if err != nil {
		return nil, err
	}
	p := &place{Place: made, folder: folder}
	config, err := json.Marshal(map[string]any{"servers": servers})
	if err == nil {
		err = os.WriteFile(p.Config, config, 0o600)
	}
	if err == nil {
		p.cmd, p.end = p.command("serve")
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.Dir))
	}
	for end := time.Now().Add(startTimeout); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("unix", p.Socket)
		if err == nil {
			return p, conn.Close()
		}
		if time.Now().After(end) {
			p.close()
			return nil, fmt.Errorf("the daemon does not accept within %v: %w", startTimeout, err)
		}
	}
}

// command returns mcp-editord with these arguments, and what begins its end; it is killed when it does
// not end then.
func (p *place) command(args ...string) (*exec.Cmd, context.CancelFunc) {
	ctx, end := context.WithCancel(context.Background())
	cmd := p.Command(ctx, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = startTimeout
	cmd.Stderr = os.Stderr
	cmd.Env = append(cmd.Env, "MCP_EDITORD_IDLE_TIMEOUT=2m") // in case that nobody is left to end it
	return cmd, end
}

// close ends the daemon and its servers and removes the place. How they end is no concern here.
func (p *place) close() {
	p.end()
	_ = p.cmd.Wait()
	_ = os.RemoveAll(p.Dir)
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
