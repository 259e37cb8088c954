package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// A step is something that setup does.
type step struct {
	Subject string `json:"subject"` // an editor, an agent, or where servers are from
	Action  string `json:"action"`
	Command string `json:"command"` // that does it
}

func (a *app) setupCommand() *cobra.Command {
	c := &consent{}
	cmd := a.inWorkspace(&cobra.Command{
		Use:   "setup",
		Short: "Install for the editors of this machine, take over the servers of its agents, and connect these",
		Long: `Look for editors, agents and their servers on this machine, show what there is to do, ask once and do it. What is done
already stays as it is, so run it again when something new is there.`,
	}, func(ctx context.Context, s *session, _ []string) error {
		steps, err := s.steps(ctx)
		switch {
		case err != nil:
			return err
		case s.json && (c.dryRun || len(steps) == 0):
			return s.printJSON(map[string]any{"steps": steps})
		case len(steps) == 0:
			return s.print("there is nothing to do; to see how all is: mcp-editord doctor", nil)
		}
		t := &table{}
		for _, step := range steps {
			t.row(step.Subject, step.Action, "("+step.Command+")")
		}
		if ok, err := s.agreed(ctx, s.terminal, *c, t.String(), "Do all this?"); !ok {
			return err
		}
		return each(ctx, s.app, steps, func(step step) error { return s.do(ctx, step) })
	})
	c.flags(cmd)
	return cmd
}

// do runs the command of a step in this process, and in the same place.
func (s *session) do(ctx context.Context, step step) error {
	other := *s.app
	root := other.command()
	other.places, other.json = s.places, s.json // which the command has set to what is usual
	args := strings.Fields(step.Command)[1:]
	if cmd, _, err := root.Find(args); err == nil && cmd.Flags().Lookup("yes") != nil {
		args = append(args, "--yes")
	}
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		return fmt.Errorf("%s: %w", step.Subject, err)
	}
	return nil
}

// steps returns what there is to do.
func (s *session) steps(ctx context.Context) ([]step, error) {
	steps := slices.Concat(s.pluginSteps(ctx), lineSteps())
	add := func(subject, action, command string) {
		steps = append(steps, step{subject, action, "mcp-editord " + command})
	}

	var names []string // of servers of other programs that are new
	params := editorapi.ProposeServersParams{From: "all"}
	found, _ := editorapi.MethodProposeServers.Call(ctx, s.client, params) // where it fails there are none
	for _, server := range found.Value.Servers {
		if server.State == editorapi.ProposalNew {
			names = append(names, server.Name)
		}
	}
	if len(names) > 0 {
		add("servers", "add those of other programs: "+strings.Join(names, ", "), "import")
	}

	entries, err := s.entries(nil, false)
	if err != nil {
		return nil, err
	}
	backups, err := s.backups()
	for _, agent := range (&connecting{app: s.app, all: true}).agents(nil) {
		plan, err := agent.Plan(backups, entries, false)
		if err == nil && len(plan.Changes) > 0 { // where it fails, connect says why
			add(agent.Title, "have it use your servers, in "+plan.Path, "connect "+agent.Name)
		}
	}
	return steps, err
}

// pluginSteps installs the plugin and the extension for editors that are there and do not have this version of it.
func (s *session) pluginSteps(ctx context.Context) (steps []step) {
	if _, err := exec.LookPath("nvim"); err == nil {
		path, err := s.neovimPlugin("")
		version, lookErr := (&installed{Path: path}).look()
		if err == nil && lookErr == nil && version != s.version {
			steps = append(steps, step{"Neovim", "install the plugin", "mcp-editord install neovim"})
		}
	}
	if program, err := findVSCode(""); err == nil && s.extension != nil {
		if version, err := extensionIn(ctx, program); err == nil && version == "" {
			steps = append(steps, step{"VS Code", "install the extension", "mcp-editord install vscode"})
		}
	}
	return steps
}

// lineSteps adds the lines of editors that need no other plugin for them.
func lineSteps() (steps []step) {
	for _, editor := range linedEditors() {
		if _, err := exec.LookPath(editor.program); err != nil {
			continue
		}
		for _, file := range editor.files {
			path, err := place(file.places)
			content, _ := os.ReadFile(path)
			if err == nil && !strings.Contains(string(content), programName) {
				steps = append(steps, step{editor.title, "add lines to " + path,
					"mcp-editord install " + editor.name + " --write"})
				break // it writes all of them
			}
		}
	}
	return steps
}
