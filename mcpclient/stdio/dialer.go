package stdio

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/nowait"
	"github.com/mcp-editord/mcp-editord/internal/procgroup"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Dialer runs a server as a child process and speaks to it over its
// standard input and output (MCP 2025-11-25, Transports, stdio).
type Dialer struct {
	Path  string   // of the program, absolute; see [LookPath]
	Args  []string // without the program's name
	Env   []string // the whole environment; nil means this process's
	Umask *int     // nil means this process's
	Dir   string   // working directory; "" means this process's
	Owner procgroup.Owner

	// Memory bounds what is being read; nil means no bound.
	Memory *budget.Budget

	limits *limits // of tests; nil means defaults
}

// limits are smaller in tests.
type limits struct {
	frame  int           // bytes of one frame
	stall  time.Duration // a server that reads nothing of a message for so long has stopped reading
	drain  time.Duration // reading goes on for so long after the process has ended
	linger time.Duration // a process may outlive its standard output for so long
	grace  time.Duration // each step of Close waits so long for the server to end by itself
}

var defaults = limits{
	frame:  wire.MaxFrame,
	stall:  10 * time.Second,
	drain:  time.Second,
	linger: 3 * time.Second, // more than the bound that procgroup keeps
	grace:  2 * time.Second,
}

// Dial starts the server. ctx ends the attempt, not the server.
func (d Dialer) Dial(ctx context.Context, log wire.LogSink) (wire.Wire, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if info, err := os.Stat(d.Dir); d.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, wire.Errorf(wire.KindSpawn, d.Dir, "the folder \"%s\", in which \"%s\" is to run, is not there; make it or change cwd", d.Dir, d.Path)
	}
	pipes, err := newPipes()
	if err != nil {
		return nil, wire.Errorf(wire.KindSpawn, d.Path, "starting \"%s\" failed: %v", d.Path, err)
	}
	proc, err := d.Owner.Start(procgroup.Command{
		Path:   d.Path,
		Args:   append([]string{d.Path}, d.Args...),
		Env:    d.Env,
		Umask:  d.Umask,
		Dir:    d.Dir,
		Stdin:  pipes.child[0],
		Stdout: pipes.child[1],
		Stderr: pipes.child[2],
	})
	closeAll(pipes.child)
	if err != nil {
		closeAll(pipes.own)
		return nil, wire.Errorf(wire.KindSpawn, d.Path, "starting \"%s\" failed: %v", d.Path, err)
	}
	limits := cmp.Or(d.limits, &defaults)
	w := &conn{
		proc:   proc,
		log:    log,
		limits: limits,
		stdin:  pipes.own[0],
		stdout: pipes.own[1],
		stderr: pipes.own[2],
		out:    outgoing{now: nowait.NewWriter(pipes.own[0])},
		lines:  wire.NewLineReader(pipes.own[1], limits.frame, d.Memory),
		ended:  make(chan struct{}),
	}
	w.life, w.end = context.WithCancelCause(context.Background())
	go w.supervise()
	return w, nil
}

// pipes are the pipes between a server and us: its standard input, output and error.
type pipes struct {
	child, own [3]*os.File
}

func newPipes() (p *pipes, err error) {
	p = &pipes{}
	for fd := range p.own {
		if p.own[fd], p.child[fd], err = os.Pipe(); err != nil {
			closeAll(p.own, p.child)
			return nil, err
		}
	}
	p.own[0], p.child[0] = p.child[0], p.own[0] // we write what it reads
	return p, nil
}

func closeAll(some ...[3]*os.File) {
	for _, files := range some {
		for _, f := range files {
			_ = f.Close() // also of nil
		}
	}
}
