package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

func (a *app) attachCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "attach",
		Short: "Connect an editor: a language server on standard input and output",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths, err := a.paths()
			if err != nil {
				return err
			}
			return ipc.Attach(cmd.Context(), paths, a.stdin, a.stdout, os.Environ(), umask())
		},
	}
}
