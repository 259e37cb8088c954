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

const (
	defaultLogLines = 200
	maxLines        = 10_000 // of a log or of the audit
)

func (a *app) logsCommand() *cobra.Command {
	var lines int
	var follows bool
	cmd := a.looking(a.ofServer("logs SERVER", "Show what a server wrote to standard error or logged"), func(ctx context.Context, s *session, args []string) error {
		p := editorapi.ServerLogParams{Server: args[0], Lines: &lines, Entries: !s.json}
		if follows {
			p.Follow = &follows
		}
		// It is read anew each time: who reads slowly holds nobody back.
		return follow(ctx, follows, s.updated, s.client.Done(), func() error {
			log, err := editorapi.MethodServerLog.Call(ctx, s.client, p)
			if err != nil {
				return err
			}
			most := maxLines
			p.After, p.Lines = log.Value.Cursor, &most
			return s.printLog(log)
		})
	})
	cmd.Flags().IntVarP(&lines, "lines", "n", defaultLogLines, "number of lines, from 1 to 10000")
	cmd.Flags().BoolVarP(&follows, "follow", "f", false, "go on with new lines, until Ctrl-C")
	return cmd
}

func (s *session) printLog(log editorapi.Answer[editorapi.ServerLogResult]) error {
	if s.json {
		return s.printRaw(log.Raw)
	}
	text := ""
	if log.Value.Missed > 0 {
		text = fmt.Sprintf("… lines that are gone: %d\n", log.Value.Missed)
	}
	for _, entry := range log.Value.Entries {
		text += safetext.Line(logText(entry), math.MaxInt) + "\n"
	}
	return write(s.stdout, text)
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
