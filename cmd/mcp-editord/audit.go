package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/daemon"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

const (
	defaultAuditLines = 50
	maxAuditLines     = 10_000
)

func (a *app) auditCommand() *cobra.Command {
	var lines int
	var server string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show who did what: calls, questions from servers, approvals, starts and stops",
		RunE: a.withPaths(func(_ context.Context, paths ipc.Paths) error {
			if lines < 1 || lines > maxAuditLines {
				return &usageError{fmt.Errorf("cannot show %d lines; -n takes 1 to %d", lines, maxAuditLines)}
			}
			audit, err := daemon.ReadAudit(paths, lines, server)
			if err != nil {
				return err
			}
			if a.json {
				for _, line := range audit {
					if err := a.printRaw(line.Raw); err != nil {
						return err
					}
				}
				return nil
			}
			switch {
			case len(audit) > 0:
				return a.printAudit(audit)
			case server == "":
				return write(a.stderr, "nothing has been recorded yet; records will be in "+paths.AuditFile()+"\n")
			}
			return write(a.stderr, fmt.Sprintf("nothing about server %q has been recorded in %s\n", server, paths.AuditFile()))
		}),
	}
	cmd.Flags().IntVarP(&lines, "lines", "n", defaultAuditLines, "number of lines, from 1 to 10000")
	cmd.Flags().StringVar(&server, "server", "", "show only lines about this server")
	return cmd
}

func (a *app) printAudit(audit []daemon.AuditLine) error {
	t := &table{}
	t.row("TIME", "EDITOR", "EVENT", "SERVER", "WHAT", "OUTCOME", "MS", "IN", "OUT")
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
