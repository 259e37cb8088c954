package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Programs are the files that are measured, by absolute path.
type programs struct {
	daemon     string // mcp-editord
	server     string // benchserver
	everything string // the script of server-everything; "" when it is not installed
	hub        string // the script of mcp-hub; "" when it is not installed
}

// A definition is a server as mcp.json defines it.
type definition map[string]any

// servers returns the definitions of the servers that are called, by name.
func (p programs) servers() map[string]definition {
	servers := map[string]definition{"plain": {"command": p.server}, "bare": {"command": p.server, "args": []string{"-bare", "10"}}}
	if p.everything != "" {
		servers["everything"] = definition{"command": "node", "args": []string{p.everything}}
	}
	return servers
}

// command returns the command of a server.
func (d definition) command() []string {
	args, _ := d["args"].([]string)
	return append([]string{d["command"].(string)}, args...)
}

// A place is a temporary directory with the socket, configuration, state and workspace folder of
// one daemon.
type place struct {
	daemon string // the binary
	dir    string
	socket string
	folder string

	cmd *exec.Cmd // the daemon; nil while this program has none running here
}

// newPlace makes a place for a daemon whose user has these servers.
func newPlace(daemon string, servers map[string]definition) (*place, error) {
	dir, err := os.MkdirTemp("", "mcp-editord-bench-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	p := &place{daemon: daemon, dir: dir, socket: filepath.Join(dir, "daemon.sock"), folder: filepath.Join(dir, "folder")}
	config, err := json.Marshal(map[string]any{"servers": servers})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "mcp.json"), config, 0o600)
	}
	if err == nil {
		err = os.Mkdir(p.folder, 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

// command returns a command that uses none of the user's files.
func (p *place) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_STATE_HOME="+filepath.Join(p.dir, "state"),
		"MCP_EDITORD_SOCKET="+p.socket, "MCP_EDITORD_CONFIG="+filepath.Join(p.dir, "mcp.json"),
		"MCP_EDITORD_IDLE_TIMEOUT=2m") // in case that nobody is left to end it
	return cmd
}

// startTimeout bounds the wait for a daemon, an editor's handshake and a server.
const startTimeout = 30 * time.Second

// serve starts the daemon and returns how long it took until the socket accepted.
func (p *place) serve() (time.Duration, error) {
	cmd := p.command(p.daemon, "serve")
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	p.cmd = cmd
	for {
		conn, err := net.Dial("unix", p.socket)
		took := time.Since(begin)
		if err == nil {
			return took, conn.Close()
		}
		if took > startTimeout {
			return 0, fmt.Errorf("the daemon does not accept within %v: %w", startTimeout, err)
		}
		time.Sleep(50 * time.Microsecond)
	}
}

// pid returns the daemon's.
func (p *place) pid() int { return p.cmd.Process.Pid }

// stop ends the daemon and its servers.
func (p *place) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	cmd := p.command(p.daemon, "stop")
	killed := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer killed()
	out, err := cmd.CombinedOutput()
	if p.cmd != nil {
		if err != nil {
			err = errors.Join(err, p.cmd.Process.Kill())
		}
		_ = p.cmd.Wait() // how it ended is no concern here
		p.cmd = nil
	}
	if err != nil {
		return fmt.Errorf("stopping the daemon: %w: %s", err, out)
	}
	return nil
}

// close stops the daemon and removes the place.
func (p *place) close() error { return errors.Join(p.stop(), os.RemoveAll(p.dir)) }

// pipes is a process's standard output and input.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// start starts a command and returns its pipes and a function that ends it: it closes standard
// input, and kills what does not end by that.
func start(cmd *exec.Cmd) (pipes, func() error, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return pipes{}, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return pipes{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return pipes{}, nil, err
	}
	return pipes{stdout, stdin}, func() error {
		_ = stdin.Close() // it may have ended
		killed := time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() })
		defer killed.Stop()
		_ = cmd.Wait() // some servers go on without standard input, and are killed
		return nil
	}, nil
}

// inPlace runs a function in a new place, and stops the daemon and removes the place afterwards.
func inPlace(daemon string, servers map[string]definition, do func(p *place) error) error {
	p, err := newPlace(daemon, servers)
	if err != nil {
		return err
	}
	return errors.Join(do(p), p.close())
}
