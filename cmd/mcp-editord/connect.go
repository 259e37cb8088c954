package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
	"github.com/mcp-editord/mcp-editord/internal/editfile"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// programName is the name by which an entry in an agent's configuration is known as ours.
const programName = "mcp-editord"

// connecting is connect or disconnect while it runs.
type connecting struct {
	*app
	entries []agentconfig.Entry // none: take out what is there
	done    string              // what that is called

	consent
	all, replace, byHand bool
}

func (a *app) connectCommand() *cobra.Command {
	c := &connecting{app: a, done: "connected"}
	var lazy bool
	var servers []string
	cmd := c.command("connect", "Have coding agents use your servers through this program", func() (err error) {
		c.entries, err = a.entries(servers, lazy)
		return err
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&servers, "server", nil, "enter only this server, under its own name; may be repeated (default all servers, as "+programName+")")
	flags.BoolVar(&lazy, "lazy", false, "let the agent look tools up instead of being told all of them")
	flags.BoolVar(&c.replace, "replace", false, "put the entry in the place of another server of that name")
	flags.BoolVar(&c.byHand, "print", false, "print the entry, to add it by hand")
	_ = cmd.RegisterFlagCompletionFunc("server", a.complete(serverNames)) // fails only for a flag that is not there
	return cmd
}

func (a *app) disconnectCommand() *cobra.Command {
	c := &connecting{app: a, done: "disconnected"}
	return c.command("disconnect", "Take this program out of the configuration of coding agents", func() error { return nil })
}

// command returns a command whose arguments are agents. prepare finds out what to enter.
func (c *connecting) command(name, short string, prepare func() error) *cobra.Command {
	var names, known []string
	for _, agent := range agentconfig.Agents() {
		names = append(names, agent.Name)
		known = append(known, cobra.CompletionWithDesc(agent.Name, agent.Title))
	}
	cmd := &cobra.Command{
		Use:       name + " AGENT… | --all",
		Short:     short,
		Long:      short + ".\n\nAGENT is one of " + strings.Join(names, ", ") + ".",
		ValidArgs: known,
		Args: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				if !slices.Contains(names, arg) {
					return &usageError{fmt.Errorf("%q is not an agent that is known; the agents are %s", arg, strings.Join(names, ", "))}
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.all == (len(args) > 0) {
				return &usageError{errors.New("name agents, or give --all; the agents are " + strings.Join(names, ", "))}
			}
			agents := c.agents(args)
			if len(agents) == 0 {
				return errors.New("none of the agents is installed; name one to write its configuration anyway: " + strings.Join(names, ", "))
			}
			if err := prepare(); err != nil {
				return err
			}
			return untilInterrupted(cmd.Context(), func(ctx context.Context) error {
				return each(ctx, c.app, agents, func(agent agentconfig.Agent) error {
					result, err := c.change(ctx, agent)
					if err == nil {
						err = c.print(result.text(agent, c.byHand), result)
					}
					if err != nil {
						err = fmt.Errorf("%s: %w", agent.Title, err)
					}
					return err
				})
			})
		},
	}
	cmd.Flags().BoolVar(&c.all, "all", false, name+" every agent that is installed")
	c.flags(cmd)
	return cmd
}

// agents returns the agents that are named, or all that are installed and need to be connected.
func (c *connecting) agents(names []string) (agents []agentconfig.Agent) {
	for _, agent := range agentconfig.Agents() {
		needed := c.all && !agent.Printed() && agent.BySelf == "" && agent.Installed()
		if needed || slices.Contains(names, agent.Name) {
			agents = append(agents, agent)
		}
	}
	return agents
}

// entries returns what agents are to start.
func (a *app) entries(servers []string, lazy bool) ([]agentconfig.Entry, error) {
	program, err := stableProgram()
	if err != nil {
		return nil, err
	}
	words := []string{program, "mcp"}
	paths, err := a.paths()
	if err != nil {
		return nil, err
	}
	// Agents pass on little of their environment: what it names is an argument for them.
	alone, err := ipc.ResolvePaths(ipc.Flags{}, func(name string) string {
		if name == "HOME" || name == "USERPROFILE" {
			return a.getenv(name)
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	if paths.SocketFrom != "" {
		words = append(words, "--socket", paths.Socket)
	}
	if paths.Config != alone.Config {
		words = append(words, "--config", paths.Config)
	}
	if paths.StateDir != alone.StateDir {
		words = append(words, "--state", paths.StateDir)
	}
	if slices.Contains(servers, "") {
		return nil, &usageError{errors.New("--server needs the name of a server")}
	}
	var last []string
	if lazy {
		last = []string{"--lazy"}
	}
	if len(servers) == 0 {
		return []agentconfig.Entry{{Name: programName, Command: append(words, last...)}}, nil
	}
	var entries []agentconfig.Entry
	for _, server := range servers {
		command := slices.Concat(words, []string{"--server", server}, last)
		entries = append(entries, agentconfig.Entry{Name: server, Command: command})
	}
	return entries, nil
}

// stableProgram returns the path of this program. A name in PATH outlives an update, so it is
// preferred if it leads to this program.
func stableProgram() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("looking for this program: %w", err)
	}
	if named, err := exec.LookPath(programName); err == nil && filepath.IsAbs(named) {
		is, err := os.Stat(program)
		other, otherErr := os.Stat(named)
		if err == nil && otherErr == nil && os.SameFile(is, other) {
			return named, nil
		}
	}
	if name := strings.TrimSuffix(filepath.Base(program), ".exe"); name != programName {
		return "", fmt.Errorf("this program is named %q, and its entry would not be recognized later; rename it to %q", name, programName)
	}
	return program, nil
}

// backups returns where copies of files are kept that are changed.
func (a *app) backups() (editfile.Backups, error) {
	paths, err := a.paths()
	return editfile.Backups(filepath.Join(paths.StateDir, "backups")), err
}

// change shows what changes for an agent, asks, and writes it.
func (c *connecting) change(ctx context.Context, agent agentconfig.Agent) (result connected, err error) {
	result.Agent = agent.Name
	if agent.Printed() && len(c.entries) == 0 {
		return result, errors.New("nothing writes its configuration; take the entry out by hand")
	}
	if agent.Printed() || c.byHand {
		result.Action = "byHand"
		result.ByHand, err = agent.ByHand(c.entries)
		return result, err
	}
	backups, err := c.backups()
	if err != nil {
		return result, err
	}
	plan, err := agent.Plan(backups, c.entries, c.replace)
	if err != nil {
		return result, err
	}
	result.Path, result.Changes = plan.Path, plan.Changes
	result.Action = "unchanged"
	if len(plan.Changes) > 0 {
		question := "Write this to the configuration of " + agent.Title + "?"
		ok, err := c.agreed(ctx, c.terminal(), c.consent, shown(plan), question)
		if err != nil {
			return result, err
		}
		if result.Action = "planned"; ok {
			result.Action = c.done
			if result.Backup, err = plan.Apply(); err != nil {
				return result, err
			}
		}
	}
	if len(c.entries) > 0 {
		result.Others = plan.Others()
	}
	return result, nil
}
