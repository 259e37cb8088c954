package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/daemon"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

const defaultAuditLines = 50

func (a *app) auditCommand() *cobra.Command {
	var lines int
	var server string
	var follows bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show who did what: calls, questions from servers, approvals, starts and stops",
		RunE: a.withPaths(func(ctx context.Context, paths ipc.Paths) error {
			if lines < 1 || lines > maxLines {
				return &usageError{fmt.Errorf("cannot show %d lines; -n takes 1 to %d", lines, maxLines)}
			}
			if follows {
				return untilInterrupted(ctx, func(ctx context.Context) error {
					return a.followAudit(ctx, paths, server, lines)
				})
			}
			audit, err := daemon.ReadAudit(paths, lines, server)
			switch {
			case err != nil:
				return err
			case a.json || len(audit) > 0:
				return a.printAudit(audit, true)
			case server == "":
				return write(a.stderr, "nothing has been recorded yet; records will be in "+paths.AuditFile()+"\n")
			}
			return write(a.stderr, fmt.Sprintf("nothing about server %q has been recorded in %s\n", server, paths.AuditFile()))
		}),
	}
	cmd.Flags().IntVarP(&lines, "lines", "n", defaultAuditLines, "number of lines, from 1 to 10000")
	cmd.Flags().StringVar(&server, "server", "", "show only lines about this server")
	cmd.Flags().BoolVarP(&follows, "follow", "f", false, "go on with new lines, until Ctrl-C")
	return cmd
}

// auditPause is how often the audit is looked at.
const auditPause = 500 * time.Millisecond

// followAudit prints the last lines of the audit, and then those that come.
func (a *app) followAudit(ctx context.Context, paths ipc.Paths, server string, lines int) error {
	var last json.RawMessage
	size := int64(0)
	return follow(ctx, true, time.Tick(auditPause), nil, func() error {
		info, err := os.Stat(paths.AuditFile())
		if err != nil || info.Size() == size { // nothing has been recorded yet, or nothing new
			return nil
		}
		size = info.Size()
		audit, err := daemon.ReadAudit(paths, lines, server)
		for i, line := range slices.Backward(audit) {
			if bytes.Equal(line.Raw, last) {
				audit = audit[i+1:]
				break
			}
		}
		if err != nil || len(audit) == 0 {
			return err
		}
		heading := last == nil
		last, lines = audit[len(audit)-1].Raw, maxLines
		return a.printAudit(audit, heading)
	})
}

// printAudit prints lines of the audit, for people below a heading.
func (a *app) printAudit(audit []daemon.AuditLine, heading bool) error {
	if a.json {
		for _, line := range audit {
			if err := a.printRaw(line.Raw); err != nil {
				return err
			}
		}
		return nil
	}
	t := &table{}
	if heading {
		t.row("TIME", "EDITOR", "EVENT", "SERVER", "WHAT", "OUTCOME", "MS", "IN", "OUT")
	}
	for _, line := range audit {
		if line.Lost > 0 {
			t.note(fmt.Sprintf("lines that could not be written here: %d", line.Lost))
			continue
		}
		what := line.What
		if line.Event == daemon.AuditApproval {
			what = short(what)
		}
		t.row(
			line.Time, line.Editor.Name+" "+strconv.Itoa(line.Editor.ID), line.Event,
			cmp.Or(line.Server, "-"), cmp.Or(what, "-"), line.Outcome,
			strconv.FormatInt(line.MS, 10), strconv.Itoa(line.BytesIn), strconv.Itoa(line.BytesOut),
		)
	}
	return t.write(a.stdout, "")
}
