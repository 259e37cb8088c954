package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/daemon"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

func (a *app) serveCommand() *cobra.Command {
	var logLevel string
	var idleTimeout time.Duration
	var started bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon in the foreground",
		RunE: a.withPaths(func(ctx context.Context, paths ipc.Paths) (err error) {
			privateFiles()
			if text := a.getenv("MCP_EDITORD_IDLE_TIMEOUT"); text != "" && idleTimeout == 0 {
				if idleTimeout, err = time.ParseDuration(text); err != nil {
					return fmt.Errorf("MCP_EDITORD_IDLE_TIMEOUT is %q; write a duration such as 30m", text)
				}
			}
			if idleTimeout < 0 {
				return fmt.Errorf("the idle timeout is %v; write a duration above zero, such as 30m", idleTimeout)
			}
			ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
			defer stop()
			context.AfterFunc(ctx, stop) // a second signal ends the process at once
			err = daemon.Serve(ctx, daemon.Options{
				Paths: paths, Version: a.version, LogLevel: logLevel, IdleTimeout: idleTimeout,
			})
			if started && errors.Is(err, ipc.ErrAlreadyRunning) {
				err = &codedError{err, ipc.ExitAlreadyRunning}
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&logLevel, "log-level", "info", "log level: debug, info, warn or error")
	cmd.Flags().DurationVar(&idleTimeout, "idle-timeout", 0, "end after this long without editors (default $MCP_EDITORD_IDLE_TIMEOUT, else 5m)")
	cmd.Flags().BoolVar(&started, ipc.StartedFlag, false, "tell a start that lost a race by the exit code")
	_ = cmd.Flags().MarkHidden(ipc.StartedFlag) // it was just declared
	return cmd
}

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
