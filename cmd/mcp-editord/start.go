package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

func (a *app) startCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "Make sure that a daemon runs, and print its socket",
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths, err := a.paths()
			if err != nil {
				return err
			}
			socket, err := ipc.Start(cmd.Context(), paths)
			if err != nil {
				return err
			}
			return a.print(socket, map[string]string{"socket": socket})
		},
	}
}
