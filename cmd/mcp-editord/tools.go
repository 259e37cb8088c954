package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
)

func (a *app) toolsCommand() *cobra.Command {
	return a.inWorkspace(&cobra.Command{
		Use:               "tools [SERVER]",
		Short:             "List the tools of one or all servers, and start the servers if needed",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.complete(nil, serverNames),
	}, func(ctx context.Context, s *session, args []string) error {
		return s.list(ctx, args, calldoc.Tool)
	})
}
