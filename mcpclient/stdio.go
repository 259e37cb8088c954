package mcpclient

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/procgroup"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// StdioDialer runs a server as a child process and speaks to it over its
// standard input and output (MCP 2025-11-25, Transports, stdio).
type StdioDialer struct {
	Path  string   // of the program, absolute; see [LookPath]
	Args  []string // without the program's name
	Env   []string // the whole environment; nil means this process's
	Umask *int     // nil means this process's
	Dir   string   // working directory; "" means this process's
	Owner procgroup.Owner

	// Memory bounds what is being read; nil means no bound.
	Memory *budget.Budget

	// Grace is how long each step of Close waits for the server to end by itself;
	// 0 means 2 s.
	Grace time.Duration
}

// stdioLimits are what a test has smaller than a server.
type stdioLimits struct {
	frame  int           // bytes of one frame
	stall  time.Duration // a server that takes nothing of a message for so long has stopped reading
	drain  time.Duration // reading goes on for so long after the process has ended
	linger time.Duration // a process may outlive its standard output for so long
}

var stdioDefaults = stdioLimits{
	frame:  wire.MaxFrame,
	stall:  10 * time.Second,
	drain:  time.Second,
	linger: 3 * time.Second, // more than the bound that procgroup keeps
}

// Dial starts the server. ctx ends the attempt, not the server.
func (d StdioDialer) Dial(ctx context.Context, log wire.LogSink) (wire.Wire, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w, err := d.dial(log, stdioDefaults)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (d StdioDialer) dial(log wire.LogSink, limits stdioLimits) (*stdioWire, error) {
	if info, err := os.Stat(d.Dir); d.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, wire.Errorf(wire.KindSpawn, d.Dir, "the folder %s, in which %s is to run, is not there: make it or change cwd", d.Dir, d.Path)
	}
	pipes, err := newStdioPipes()
	if err != nil {
		return nil, wire.Errorf(wire.KindSpawn, d.Path, "starting %s failed: %v", d.Path, err)
	}
	proc, err := d.Owner.Start(procgroup.Command{
		Path:   d.Path,
		Args:   append([]string{d.Path}, d.Args...),
		Env:    d.Env,
		Umask:  d.Umask,
		Dir:    d.Dir,
		Stdin:  pipes.childIn,
		Stdout: pipes.childOut,
		Stderr: pipes.childErr,
	})
	pipes.closeChildEnds()
	if err != nil {
		pipes.closeOwnEnds()
		return nil, wire.Errorf(wire.KindSpawn, d.Path, "starting %s failed: %v", d.Path, err)
	}
	if err := proc.Warning(); err != nil {
		log.Line(wire.LogDaemon, "this server is not written down, so that what it leaves behind may be missed if the daemon is killed: "+err.Error())
	}
	grace := d.Grace
	if grace == 0 {
		grace = 2 * time.Second
	}
	w := &stdioWire{
		proc:       proc,
		log:        log,
		grace:      grace,
		limits:     limits,
		stdin:      pipes.in,
		stdout:     pipes.out,
		stderr:     pipes.err,
		lines:      newLineReader(pipes.out, limits.frame, d.Memory),
		out:        make(chan outgoing),
		failed:     make(chan struct{}),
		writerDone: make(chan struct{}),
		ended:      make(chan struct{}),
	}
	go w.writeAll()
	go w.supervise()
	return w, nil
}

// stdioPipes are the three pipes between a server and us.
type stdioPipes struct {
	childIn, in   *os.File
	childOut, out *os.File
	childErr, err *os.File
}

func newStdioPipes() (*stdioPipes, error) {
	var p stdioPipes
	var err error
	if p.childIn, p.in, err = os.Pipe(); err != nil {
		return nil, err
	}
	if p.out, p.childOut, err = os.Pipe(); err != nil {
		_, _ = p.childIn.Close(), p.in.Close()
		return nil, err
	}
	if p.err, p.childErr, err = os.Pipe(); err != nil {
		_, _, _, _ = p.childIn.Close(), p.in.Close(), p.childOut.Close(), p.out.Close()
		return nil, err
	}
	return &p, nil
}

func (p *stdioPipes) closeChildEnds() {
	_, _, _ = p.childIn.Close(), p.childOut.Close(), p.childErr.Close()
}

func (p *stdioPipes) closeOwnEnds() {
	_, _, _ = p.in.Close(), p.out.Close(), p.err.Close()
}

// LookPath finds the program of a command the way a shell in dir with the
// environment env would: a name with a slash is taken from dir, any other is
// looked up in the PATH of env. Entries of PATH that are not absolute are passed
// over, so that a workspace cannot put a program in the way. The path returned
// is absolute if dir is. The error is a [wire.Error] of [wire.KindSpawn].
func LookPath(command, dir string, env []string) (string, error) {
	if command == "" {
		return "", wire.Errorf(wire.KindSpawn, "", "the server has no command: give it one")
	}
	if strings.ContainsRune(command, filepath.Separator) || strings.ContainsRune(command, '/') {
		path := command
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, command)
		}
		found, err := exec.LookPath(path)
		if err != nil {
			return "", wire.Errorf(wire.KindSpawn, command, "the command %s cannot be run: %s is %s", command, path, whyNot(path))
		}
		return found, nil
	}
	var path string
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value // the last one counts, as for os/exec
		}
	}
	var refused string // the first one that is there and cannot be run
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		candidate := filepath.Join(folder, command)
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
		if _, err := os.Stat(candidate); err == nil && refused == "" {
			refused = candidate
		}
	}
	if refused != "" {
		return "", wire.Errorf(wire.KindSpawn, command, "the command %s cannot be run: %s is %s, and there is no other in PATH=%s",
			command, refused, whyNot(refused), path)
	}
	return "", wire.Errorf(wire.KindSpawn, command, "the command %s was not found: install it or correct PATH=%s", command, path)
}

// whyNot tells why the file at path is not a program.
func whyNot(path string) string {
	switch info, err := os.Stat(path); {
	case os.IsNotExist(err):
		return "not there"
	case err != nil:
		return fmt.Sprintf("out of reach (%v)", err)
	case info.IsDir():
		return "a folder"
	default:
		return "not executable"
	}
}
