package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// defaultLogLines is how many lines of a log are shown.
const defaultLogLines = 200

func (a *app) logsCommand() *cobra.Command {
	var lines int
	cmd := a.inWorkspace(&cobra.Command{
		Use:   "logs SERVER",
		Short: "Show what a server wrote to its standard error and log",
		Args:  usage(cobra.ExactArgs(1)),
	}, func(ctx context.Context, s *session, args []string) error {
		var raw json.RawMessage
		if err := s.call(ctx, "editord/serverLog", map[string]any{"server": args[0], "lines": lines}, &raw); err != nil {
			return err
		}
		if s.json {
			return s.printRaw(raw)
		}
		var log struct {
			Lines []string `json:"lines"`
		}
		if err := json.Unmarshal(raw, &log); err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		for _, text := range log.Lines {
			if err := write(s.stdout, line(safetext.Line(text, math.MaxInt))); err != nil {
				return err
			}
		}
		return nil
	})
	cmd.Flags().IntVarP(&lines, "lines", "n", defaultLogLines, "how many lines, from 1 to 10000")
	cmd.ValidArgsFunction = a.complete(nil, serverNames)
	return cmd
}
