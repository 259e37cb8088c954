package workspaceserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxWalks is the number of walks over the roots that run at the same time; more wait.
const maxWalks = 4

// Run serves one client with newline-delimited JSON on in and out (MCP, Transports,
// stdio), until in or ctx ends. It returns nil when in ends and ctx.Err() when ctx ends.
// In both cases it cancels calls under way and closes in and out. version goes into
// serverInfo.
func Run(ctx context.Context, version string, in io.ReadCloser, out io.WriteCloser) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	return newServer(version, dir).run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

// server serves one client.
type server struct {
	mcp   *mcp.Server
	dir   string                      // the folder for a client without roots
	roots atomic.Pointer[[]*mcp.Root] // that a client of 2026-07-28 sent last; none before
	walks chan struct{}               // one element for each walk under way
}

func newServer(version, dir string) *server {
	s := &server{dir: dir, walks: make(chan struct{}, maxWalks)}
	s.roots.Store(new([]*mcp.Root))
	s.mcp = mcp.NewServer(
		&mcp.Implementation{Name: "mcp-editord-workspace", Title: "Workspace", Version: version},
		&mcp.ServerOptions{
			Instructions: "Finds and reads files and searches text in the workspace folders, and asks the user or the model. " +
				"Results have absolute paths. You can read any file in the roots as a resource, by its file: URI.",
			Capabilities:      &mcp.ServerCapabilities{}, // without the SDK's default, logging
			CompletionHandler: s.complete,
			// To the SDK, adding a template again changes the list of resources, as the roots do.
			RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { s.addTemplate() },
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
				c.CacheScope = "private" // one user's files
			},
		})
	s.mcp.AddReceivingMiddleware(s.receive)
	mcp.AddTool(s.mcp, findTool(), s.findFiles)
	mcp.AddTool(s.mcp, searchTool(), s.searchText)
	mcp.AddTool(s.mcp, rootsTool(), s.listRoots)
	mcp.AddTool(s.mcp, askUserTool(), s.askUser)
	mcp.AddTool(s.mcp, askModelTool(), s.askModel)
	s.mcp.AddPrompt(reviewPrompt(), s.review)
	s.addTemplate()
	return s
}

// run serves the client at the other end of t.
func (s *server) run(ctx context.Context, t mcp.Transport) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	err := s.mcp.Run(context.WithoutCancel(ctx), endingTransport{Transport: t, end: serving})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("serving the client: %w", err)
	}
	return nil
}

// endingTransport closes its connection when end is done. The SDK's own way of
// ending a session waits for calls under way without cancelling them, and a call
// that asks the user may take for ever.
type endingTransport struct {
	mcp.Transport
	end context.Context
}

func (t endingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(t.end, func() { _ = conn.Close() })
	return conn, nil
}

// walk is [workspace.walk] once it is its turn.
func (s *server) walk(ctx context.Context, w *workspace, visit func(file) bool) (complete bool, err error) {
	select {
	case s.walks <- struct{}{}:
		defer func() { <-s.walks }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return w.walk(ctx, maxVisited, visit)
}
