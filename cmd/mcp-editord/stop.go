package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

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
