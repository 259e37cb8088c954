package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/workspaceserver"
)

func (a *app) workspaceServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "workspace-server",
		Short: "Run the built-in MCP server on standard input and output",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return workspaceserver.Run(cmd.Context(), a.version, a.stdin, a.stdout)
		},
	}
}
