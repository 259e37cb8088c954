// Command bench compares calls of a direct MCP client with the same calls through the
// daemon, for `make bench`. The ways take turns within one run, so that whatever else the
// machine does slows all of them. Only their ratios mean something.
//
// The ways:
//
//	direct   the official Go SDK's client with the server as its child
//	attach   an editor behind `mcp-editord attach`
//	socket   an editor on the daemon's socket
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// limit ends a run that hangs. Otherwise it takes about half a minute.
const limit = 2 * time.Minute

func main() {
	bin := flag.String("bin", "bin", "the directory with mcp-editord and fakeserver")
	servers := flag.String("servers", filepath.Join(".tools", "servers", "node_modules"), "the directory with server-everything, for memory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := bench(ctx, *bin, *servers)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, bin, servers string) (err error) {
	p, err := newPlace(bin, servers)
	if err != nil {
		return fmt.Errorf("making a directory for the daemon: %w", err)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	// Memory comes first: the daemon keeps some of what the large results needed.
	if err := memory(ctx, p); err != nil {
		return err
	}
	return speed(ctx, p)
}
