package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

func (a *app) doctorCommand() *cobra.Command {
	var report string
	var yes bool
	cmd := a.ofServers("doctor [SERVER]", "Look for what is wrong, and say what mends it; with SERVER, start that server")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folders, err := workspaceFolders(cmd)
		if err != nil {
			return err
		}
		x := &checkup{app: a}
		if err := x.run(cmd.Context(), folders, strings.Join(args, "")); err != nil {
			return err
		}
		switch {
		case report != "":
			err = x.report(cmd.Context(), report, yes)
		case x.json:
			err = x.printJSON(map[string]any{"checks": x.Checks})
		default:
			err = x.table().write(x.stdout, "")
		}
		if err == nil && slices.ContainsFunc(x.Checks, isError) {
			err = errToolFailed // which is printed already
		}
		return err
	}
	cmd.Flags().StringArray("folder", nil, "workspace folder; may be repeated (default the working directory)")
	cmd.Flags().StringVar(&report, "report", "", "write a text for an issue to this file, without secrets; - prints it")
	cmd.Flags().BoolVar(&yes, "yes", false, "write the report without asking")
	return cmd
}

func isError(c editorapi.Check) bool { return c.State == editorapi.CheckError }

// A checkup is one run of the doctor.
type checkup struct {
	*app
	editorapi.Checks
	paths  ipc.Paths
	status *editorapi.Status // nil when there is no daemon
}

// run checks what can be known without a daemon, then asks the daemon. It starts the daemon, as every command does.
func (x *checkup) run(ctx context.Context, folders []editorapi.Folder, server string) (err error) {
	if x.paths, err = x.app.paths(); err != nil {
		return err
	}
	x.machine(ctx)
	quiet := *x.app
	quiet.stderr = io.Discard // what the daemon has to say at first is among its checks
	reached := false
	var programs []string
	err = quiet.attached(ctx, ipc.Connect, folders, false, func(ctx context.Context, s *session) error {
		reached = true
		programs, err = x.ask(ctx, s, server)
		return err
	})
	switch {
	case err == nil:
	case reached || errors.Is(err, errInterrupted):
		return err
	case !slices.ContainsFunc(x.Checks, func(c editorapi.Check) bool { // has said so
		return isError(c) && strings.Contains(err.Error(), c.Text)
	}):
		x.Fail("daemon", err.Error(), "without it no server runs", "")
	}
	x.launch(ctx, programs, reached)
	return nil
}

// ask asks the daemon. It returns the programs that servers start with.
func (x *checkup) ask(ctx context.Context, s *session, server string) ([]string, error) {
	status, err := editorapi.MethodStatus.Call(ctx, s.client, editorapi.Nothing{})
	if err != nil {
		return nil, err
	}
	of := withoutYou(status.Value)
	x.status = &of
	if of.Version != x.version {
		x.Warn("daemon", fmt.Sprintf("it is %s, and this program is %s", of.Version, x.version),
			"it may not know what this program asks", "mcp-editord stop")
	} else {
		uptime := time.Duration(of.Uptime * float64(time.Second)).Round(time.Second)
		x.OK("daemon", fmt.Sprintf("%s, process %d, for %s", of.Version, of.PID, uptime))
	}
	defer (&session{app: x.app, terminal: s.terminal}).waitsFor(server)()
	found, err := editorapi.MethodDoctor.Call(ctx, s.client, editorapi.DoctorParams{Server: server})
	if theirs, ok := errors.AsType[*editorapi.RPCError](err); ok && theirs.Code == editorapi.CodeMethodNotFound {
		x.Fail("daemon", "it is too old to be asked", "nothing is known of its servers", "mcp-editord stop")
		return nil, nil
	}
	x.Checks = append(x.Checks, found.Value.Checks...)
	return found.Value.Programs, err
}

// table has a row for each check, with why it matters and what mends it below.
func (x *checkup) table() *table {
	t := &table{}
	for _, c := range x.Checks {
		t.row(string(c.State), strings.TrimSpace(c.Server+" "+c.Name), c.Text)
		if c.State != editorapi.CheckOK {
			if c.File != "" {
				t.note("in: " + c.File)
			}
			t.note("why: " + c.Why)
			t.note("to mend it: " + c.Remedy)
		}
	}
	return t
}
