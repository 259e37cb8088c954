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
			return daemon.Serve(ctx, daemon.Options{
				Paths: paths, Version: a.version, LogLevel: logLevel, IdleTimeout: idleTimeout,
			})
		}),
	}
	cmd.Flags().StringVar(&logLevel, "log-level", "info", "log level: debug, info, warn or error")
	cmd.Flags().DurationVar(&idleTimeout, "idle-timeout", 0, "end after this long without editors (default $MCP_EDITORD_IDLE_TIMEOUT, else 5m)")
	return cmd
}

func (a *app) startCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "Make sure that a daemon runs, and print its socket",
		RunE: a.withPaths(func(ctx context.Context, paths ipc.Paths) error {
			conn, err := ipc.Connect(ctx, paths)
			if err != nil {
				return err
			}
			defer conn.Close()
			socket := conn.RemoteAddr().String()
			return a.print(socket, map[string]string{"socket": socket})
		}),
	}
}

// stopTimeout is how long a daemon may take to end its servers and itself.
const stopTimeout = 15 * time.Second

func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon and its servers",
		RunE: a.withPaths(func(ctx context.Context, paths ipc.Paths) error {
			ctx, cancel := context.WithTimeout(ctx, stopTimeout)
			defer cancel()
			pid, err := ipc.Stop(ctx, paths)
			if errors.Is(err, ipc.ErrNotRunning) {
				return a.print("no daemon is running", map[string]bool{"stopped": false})
			}
			if err != nil {
				return err
			}
			return a.print(fmt.Sprintf("the daemon, process %d, has stopped", pid), map[string]any{"stopped": true, "pid": pid})
		}),
	}
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
