package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// defaultLogLines is how many lines of a log are shown.
const defaultLogLines = 200

func (a *app) logsCommand() *cobra.Command {
	var lines int
	cmd := a.inWorkspace(&cobra.Command{
		Use:   "logs SERVER",
		Short: "Show what a server wrote to standard error or logged",
		Args:  usage(cobra.ExactArgs(1)),
	}, func(ctx context.Context, s *session, args []string) error {
		log, err := s.client.ServerLog(ctx, editorapi.ServerLogParams{Server: args[0], Lines: &lines})
		if err != nil {
			return err
		}
		if s.json {
			return s.printRaw(log.Raw)
		}
		for _, text := range log.Value.Lines {
			if err := write(s.stdout, line(safetext.Line(text, math.MaxInt))); err != nil {
				return err
			}
		}
		return nil
	})
	cmd.Flags().IntVarP(&lines, "lines", "n", defaultLogLines, "number of lines, from 1 to 10000")
	cmd.ValidArgsFunction = a.complete(nil, serverNames)
	return cmd
}
