package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

func (a *app) startCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "Make sure that a daemon runs, and print its socket",
		RunE: a.withPaths(func(ctx context.Context, paths ipc.Paths) error {
			socket, err := ipc.Start(ctx, paths)
			if err != nil {
				return err
			}
			return a.print(socket, map[string]string{"socket": socket})
		}),
	}
}
