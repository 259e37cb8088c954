//go:build linux || darwin

package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// process is an mcp-editord whose standard input and output an editor holds. It
// is the editor's connection: Close closes both, as the end of an editor does.
type process struct {
	stdin   *os.File
	stdout  *os.File
	stderr  lockedBuffer
	command string // the arguments
	pid     int
	exited  chan struct{}
	code    int // set before exited is closed
}

// command returns a command that runs mcp-editord in this world, changed by how.
func (w *world) command(how func(*exec.Cmd), args ...string) *exec.Cmd {
	cmd := exec.Command(daemonBinary, args...)
	cmd.Env, cmd.Dir = w.env(), filepath.Join(w.dir, "home")
	how(cmd)
	return cmd
}

// after is the way of a mcp-editord that a shell becomes when it has run a script.
func after(script string) func(cmd *exec.Cmd) {
	return func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", script + ` && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
}

// spawn starts mcp-editord with pipes as standard input and output.
func (w *world) spawn(args ...string) *process {
	w.t.Helper()
	return w.spawnAs(func(*exec.Cmd) {}, args...)
}

// spawnAs is spawn with a change to the command.
func (w *world) spawnAs(how func(*exec.Cmd), args ...string) *process {
	w.t.Helper()
	childIn, stdin, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	stdout, childOut, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	p := &process{stdin: stdin, stdout: stdout, command: strings.Join(args, " "), exited: make(chan struct{})}
	w.t.Cleanup(func() { p.Close() })
	cmd := w.command(how, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, &p.stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	childIn.Close()
	childOut.Close()
	p.pid = cmd.Process.Pid
	w.spawned = append(w.spawned, p)
	go func() { // ends with the process, for which the world waits
		_ = cmd.Wait() // the code says it
		p.code = cmd.ProcessState.ExitCode()
		close(p.exited)
	}()
	return p
}

func (p *process) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

func (p *process) Close() error {
	_ = p.stdin.Close() // it may be closed already, and so may the other
	return p.stdout.Close()
}

// ended tells whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// open shakes hands on a connection, and waits until some servers are ready.
func (w *world) open(rwc io.ReadWriteCloser, o fakeeditor.Options, ready ...string) *fakeeditor.Editor {
	w.t.Helper()
	e := fakeeditor.New(w.t, rwc, o)
	w.editors = append(w.editors, e)
	e.Initialize()
	for _, name := range ready {
		awaitReady(e, name)
	}
	return e
}

// lockedBuffer is a buffer that may be read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
