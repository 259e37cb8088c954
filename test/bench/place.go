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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// A place is a temporary directory with the socket, configuration and state of a daemon.
type place struct {
	dir        string
	daemon     string   // the binary
	fake       []string // the command of the server whose speed is measured
	everything []string // the command of the server whose memory is measured
	socket     string
}

// fakeScript makes fakeserver send only what it is asked for.
const fakeScript = `{"plain":true}`

func newPlace(bin, servers string) (*place, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	script, err := filepath.Abs(filepath.Join(servers, "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mcp-editord-bench-")
	if err != nil {
		return nil, err
	}
	p := &place{
		dir: dir, daemon: filepath.Join(bin, "mcp-editord"), socket: filepath.Join(dir, "daemon.sock"),
		fake:       []string{filepath.Join(bin, "fakeserver")},
		everything: []string{"node", script},
	}
	config, err := json.Marshal(map[string]any{"servers": map[string]any{
		"fake":       map[string]any{"command": p.fake[0]},
		"everything": map[string]any{"command": p.everything[0], "args": p.everything[1:]},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "mcp.json"), config, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

// command returns a command that uses none of the user's files.
func (p *place) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_STATE_HOME="+filepath.Join(p.dir, "state"),
		"MCP_EDITORD_SOCKET="+p.socket, "MCP_EDITORD_CONFIG="+filepath.Join(p.dir, "mcp.json"), "FAKESERVER="+fakeScript)
	return cmd
}

// close stops the daemon and removes the place.
func (p *place) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if out, err := p.command(ctx, p.daemon, "stop").CombinedOutput(); err != nil {
		return fmt.Errorf("stopping the daemon: %w: %s (its files are in %s)", err, out, p.dir)
	}
	return os.RemoveAll(p.dir)
}

// pipes is a process's standard output and input. Close closes the input.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// start starts a command with pipes.
func start(cmd *exec.Cmd) (pipes, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return pipes{}, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return pipes{}, err
	}
	return pipes{stdout, stdin}, cmd.Start()
}

// A way is one way to call the tools of a server.
type way struct {
	name  string
	pids  []int // of the processes that it needs, including the daemon and the server
	call  func(ctx context.Context, tool string, arguments map[string]any) error
	close func() error
}

// direct is the SDK's client with the server as its child. It lifts the SDK's limit on the
// size of a message, which the largest result exceeds.
func (p *place) direct(ctx context.Context, command []string) (*way, error) {
	cmd := p.command(ctx, command[0], command[1:]...)
	rw, err := start(cmd)
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: io.NopCloser(rw), Writer: rw, MaxLineLength: -1}, nil)
	if err != nil {
		return nil, err
	}
	return &way{
		name: "direct", pids: []int{cmd.Process.Pid},
		call: func(ctx context.Context, tool string, arguments map[string]any) error {
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
			return err
		},
		close: func() error {
			err := session.Close()
			_ = cmd.Process.Kill() // some servers go on without standard input
			_ = cmd.Wait()
			return err
		},
	}, nil
}

// attached is an editor behind `mcp-editord attach`.
func (p *place) attached(ctx context.Context, server string) (*way, error) {
	cmd := p.command(ctx, p.daemon, "attach")
	cmd.Stderr = os.Stderr
	rw, err := start(cmd)
	if err != nil {
		return nil, err
	}
	w, err := p.editor(ctx, "attach", rw, server)
	if err != nil {
		return nil, err
	}
	w.pids = append(w.pids, cmd.Process.Pid)
	leave := w.close
	w.close = func() error { return errors.Join(leave(), cmd.Wait()) }
	return w, nil
}

// onSocket is an editor on the daemon's socket. The daemon must be running.
func (p *place) onSocket(ctx context.Context, server string) (*way, error) {
	conn, err := net.Dial("unix", p.socket)
	if err != nil {
		return nil, err
	}
	return p.editor(ctx, "socket", conn, server)
}

func (p *place) editor(ctx context.Context, name string, rwc io.ReadWriteCloser, server string) (*way, error) {
	client, err := editorapi.NewClient(ctx, rwc, editorapi.ClientOptions{
		Name: "bench", Version: "1", Capabilities: editorapi.Capabilities{MCP: true},
		Folders:     []editorapi.Folder{{URI: fileuri.FromPath(p.dir), Name: "bench"}},
		Environment: map[string]string{"PATH": os.Getenv("PATH"), "HOME": p.dir, "FAKESERVER": fakeScript},
	})
	if err != nil {
		return nil, err
	}
	view, err := client.StartServer(ctx, server)
	if err != nil {
		return nil, err
	}
	if view.State != editorapi.ServerReady {
		return nil, fmt.Errorf("server %q is %s: %+v", server, view.State, view.Error)
	}
	status, err := client.Status(ctx)
	if err != nil {
		return nil, err
	}
	return &way{
		name: name, pids: []int{status.Value.PID, view.PID},
		call: func(ctx context.Context, tool string, arguments map[string]any) error {
			raw, err := json.Marshal(arguments)
			if err == nil {
				_, err = client.CallTool(ctx, server, tool, raw, nil)
			}
			return err
		},
		close: func() error { return client.Close(ctx) },
	}, nil
}
