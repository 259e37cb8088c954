package mcpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Options say what an agent gets. They are copied.
type Options struct {
	Connect func(context.Context) (net.Conn, error) // to the daemon, which it starts when there is none
	Dial    func(context.Context) (net.Conn, error) // to the daemon, if there is one
	Version string                                  // of this program
	Log     *zap.Logger
	Busy    func() // called whenever something happens, concurrently; it must not wait

	Servers []string // those of --server: the only ones the agent gets; nil for all. One alone keeps its own names
	Folders []string // those of --folder, absolute paths; they win over all others
	Dir     string   // the working directory
	Home    string   // the home directory, which is no project by itself

	Environment map[string]string // that servers get
	Umask       string            // likewise, in octal; "" for none

	Lazy        bool   // tools are found, described and called by other tools
	NameLimit   int    // the longest name of a tool, in characters; 0 for the default
	ResultLimit int    // bytes of a result, above which it goes to a file; 0 for no limit
	ResultDir   string // of these files
}

// How long things take at most at the end, which takes less than a second together.
const (
	answering = 400 * time.Millisecond // calls that are under way when the agent ends its input
	goodbye   = 200 * time.Millisecond // for the daemon
	flushing  = 200 * time.Millisecond // for the agent to take what it has not read
)

// Serve is the MCP server of one agent, which it reads from in and writes to out. It returns nil when
// the agent has ended its input or takes no more output, or when ctx has ended: "Servers SHOULD exit
// promptly when their standard input is closed or reads return end-of-file" (MCP 2026-07-28, stdio,
// Shutdown). A Read that is under way goes on until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	s := newSession(ctx, out, o)
	read := make(chan error, 1)
	go func() { read <- s.read(wire.NewLineReader(in, wire.MaxFrame, nil)) }()
	var err error
	select {
	case <-ctx.Done():
	case <-s.out.done:
	case err = <-read:
		s.awaitCalls(answering)
	}
	s.end()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
