package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

func (a *app) attachCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "attach",
		Short: "Connect an editor: a language server on standard input and output",
		RunE: a.withPaths(func(ctx context.Context, paths ipc.Paths) error {
			brokenPipesAreErrors()
			return ipc.Attach(ctx, paths, a.stdin, a.stdout, os.Environ(), umask())
		}),
	}
}

// brokenPipesAreErrors has a write to standard output fail when its reader is gone, where Go would end
// the program with a signal.
func brokenPipesAreErrors() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
