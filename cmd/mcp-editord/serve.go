package main

import (
	"context"
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
