package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// defaultLogLines is how many lines of a log are shown.
const defaultLogLines = 200

func (a *app) logsCommand() *cobra.Command {
	var lines int
	cmd := a.looking(a.ofServer("logs SERVER", "Show what a server wrote to standard error or logged"), func(ctx context.Context, s *session, args []string) error {
		p := editorapi.ServerLogParams{Server: args[0], Lines: &lines, Entries: !s.json}
		log, err := editorapi.MethodServerLog.Call(ctx, s.client, p)
		if err != nil {
			return err
		}
		if s.json {
			return s.printRaw(log.Raw)
		}
		for _, entry := range log.Value.Entries {
			if err := write(s.stdout, safetext.Line(logText(entry), math.MaxInt)+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
	cmd.Flags().IntVarP(&lines, "lines", "n", defaultLogLines, "number of lines, from 1 to 10000")
	return cmd
}

// logText returns a line of a log for a person: its local time, then its level or where it is from,
// and what it says. Further lines of a message are indented.
func logText(entry editorapi.LogEntry) string {
	if entry.More {
		return "    " + entry.Text
	}
	text := entry.Text
	if entry.Logger != "" {
		text = entry.Logger + ": " + text
	}
	when := entry.Time
	if t, err := time.Parse(time.RFC3339, when); err == nil {
		when = t.Local().Format("2006-01-02 15:04:05.000")
	}
	return fmt.Sprintf("%s [%s] %s", when, cmp.Or(string(entry.Level), string(entry.Source)), text)
}
