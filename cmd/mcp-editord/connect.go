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
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// programName is the name by which an entry in an agent's configuration is known as ours.
const programName = "mcp-editord"

// connecting is connect or disconnect while it runs.
type connecting struct {
	*app
	backups agentconfig.Backups
	entries []agentconfig.Entry // none: take out what is there

	yes, dryRun, replace bool
}

func (a *app) connectCommand() *cobra.Command {
	c := connecting{app: a}
	var all, lazy, byHand bool
	var servers []string
	cmd := &cobra.Command{
		Use:               "connect AGENT… | --all",
		Short:             "Have coding agents use your servers through this program",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeAgents,
	}
	cmd.Long = cmd.Short + ".\n\nAGENT is " + agentNames() + "."
	flags := cmd.Flags()
	flags.BoolVar(&all, "all", false, "connect every agent that is installed")
	flags.StringArrayVar(&servers, "server", nil, "enter only this server, under its own name; may be repeated (default all servers, as "+programName+")")
	flags.BoolVar(&lazy, "lazy", false, "let the agent look tools up instead of being told all of them")
	flags.BoolVar(&c.replace, "replace", false, "put the entry in the place of another server of that name")
	flags.BoolVar(&c.yes, "yes", false, "write without asking")
	flags.BoolVar(&c.dryRun, "dry-run", false, "only show what would be written")
	flags.BoolVar(&byHand, "print", false, "print the entry, to add it by hand")
	flags.StringArray("folder", nil, "workspace folder whose servers are compared with the agent's; may be repeated (default the working directory)")
	_ = cmd.RegisterFlagCompletionFunc("server", a.complete(serverNames)) // fails only for a flag that is not there
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		agents, err := a.agents(args, all)
		if err != nil {
			return err
		}
		if c.entries, err = a.entries(servers, lazy); err != nil {
			return err
		}
		if byHand {
			return a.printByHand(agents, c.entries)
		}
		return c.run(cmd, agents)
	}
	return cmd
}

func (a *app) disconnectCommand() *cobra.Command {
	c := connecting{app: a}
	var all bool
	cmd := &cobra.Command{
		Use:               "disconnect AGENT… | --all",
		Short:             "Take this program out of the configuration of coding agents",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeAgents,
	}
	cmd.Long = cmd.Short + ".\n\nAGENT is " + agentNames() + "."
	cmd.Flags().BoolVar(&all, "all", false, "disconnect every agent that is installed")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "write without asking")
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "only show what would be taken out")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		agents, err := a.agents(args, all)
		if err != nil {
			return err
		}
		return c.run(cmd, agents)
	}
	return cmd
}

// agents returns the agents that are named, or all that are installed and need to be connected.
func (a *app) agents(names []string, all bool) ([]agentconfig.Agent, error) {
	known := agentconfig.Agents()
	if all == (len(names) > 0) {
		return nil, &usageError{errors.New("name agents, or give --all; the agents are " + agentNames())}
	}
	var agents []agentconfig.Agent
	for _, name := range names {
		i := slices.IndexFunc(known, func(agent agentconfig.Agent) bool { return agent.Name == name })
		if i < 0 {
			return nil, &usageError{fmt.Errorf("%q is not an agent that is known; the agents are %s", name, agentNames())}
		}
		agents = append(agents, known[i])
	}
	if !all {
		return agents, nil
	}
	for _, agent := range known {
		if !agent.Printed() && agent.BySelf == "" && agent.Installed(a.getenv) {
			agents = append(agents, agent)
		}
	}
	if len(agents) == 0 {
		return nil, errors.New("none of the agents is installed; name one to write its configuration anyway: " + agentNames())
	}
	return agents, nil
}

// entries returns what agents are to start.
func (a *app) entries(servers []string, lazy bool) ([]agentconfig.Entry, error) {
	program, err := stableProgram()
	if err != nil {
		return nil, err
	}
	args := []string{"mcp"}
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
		args = append(args, "--socket", paths.Socket)
	}
	if paths.Config != alone.Config {
		args = append(args, "--config", paths.Config)
	}
	if paths.StateDir != alone.StateDir {
		args = append(args, "--state", paths.StateDir)
	}
	var rest []string
	if lazy {
		rest = []string{"--lazy"}
	}
	if len(servers) == 0 {
		return []agentconfig.Entry{{Name: programName, Command: program, Args: slices.Concat(args, rest)}}, nil
	}
	var entries []agentconfig.Entry
	for _, server := range servers {
		if server == "" {
			return nil, &usageError{errors.New("--server needs the name of a server")}
		}
		entries = append(entries, agentconfig.Entry{Name: server, Command: program, Args: slices.Concat(args, []string{"--server", server}, rest)})
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

// printByHand prints the entries as each agent writes them.
func (a *app) printByHand(agents []agentconfig.Agent, entries []agentconfig.Entry) error {
	for _, agent := range agents {
		text, err := agent.ByHand(entries)
		if err != nil {
			return err
		}
		if err := a.print(strings.TrimSuffix(text, "\n"), connected{Agent: agent.Name, Action: "byHand", ByHand: text}); err != nil {
			return err
		}
	}
	return nil
}

// planned is what is to be done to one agent.
type planned struct {
	agent agentconfig.Agent
	plan  *agentconfig.Plan // nil: its configuration is not written
}

// run does what can be done for each agent. What fails for one does not keep it from the others.
func (c *connecting) run(cmd *cobra.Command, agents []agentconfig.Agent) error {
	paths, err := c.paths()
	if err != nil {
		return err
	}
	c.backups = agentconfig.Backups(filepath.Join(paths.StateDir, "backups"))
	var failed []error
	var plans []planned
	for _, agent := range agents {
		plan, err := c.plan(agent)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", agent.Title, err))
			continue
		}
		plans = append(plans, planned{agent, plan})
	}
	var results []connected
	interrupted := untilInterrupted(cmd.Context(), func(ctx context.Context) error {
		var errs []error
		results, errs = c.make(ctx, plans)
		failed = append(failed, errs...)
		return ctx.Err()
	})
	if len(c.entries) > 0 && interrupted == nil {
		c.compare(cmd, results)
	}
	for _, result := range results {
		if err := c.print(result.String(), result); err != nil {
			return err
		}
	}
	if interrupted != nil {
		return interrupted
	}
	if len(failed) == 0 {
		return nil
	}
	for _, err := range failed[:len(failed)-1] {
		c.complain(err)
	}
	return failed[len(failed)-1]
}

func (c *connecting) plan(agent agentconfig.Agent) (*agentconfig.Plan, error) {
	switch {
	case agent.Printed() && len(c.entries) == 0:
		return nil, errors.New("nothing writes its configuration; take the entry out by hand")
	case agent.Printed():
		return nil, nil
	case len(c.entries) == 0:
		return agent.Disconnect(c.getenv, c.backups)
	}
	return agent.Connect(c.getenv, c.backups, c.entries, c.replace)
}

// make shows what is planned, asks and writes.
func (c *connecting) make(ctx context.Context, plans []planned) (results []connected, failed []error) {
	terminal := c.terminal()
	var waiting []string
	for _, p := range plans {
		if ctx.Err() != nil {
			break
		}
		result := connected{Agent: p.agent.Name, agent: p.agent}
		var err error
		switch {
		case p.plan == nil:
			result.Action = "byHand"
			result.ByHand, err = p.agent.ByHand(c.entries)
		case len(p.plan.Changes) == 0:
			result.Path, result.Action = p.plan.Path, "unchanged"
		case c.dryRun:
			result.Path, result.Action, result.Changes = p.plan.Path, "planned", p.plan.Changes
			err = c.show(p.plan)
		case !c.yes && !terminal.answers():
			waiting = append(waiting, p.agent.Title)
			err = c.show(p.plan)
		default:
			err = c.show(p.plan)
			if err == nil {
				result, err = c.write(ctx, terminal, p)
			}
		}
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", p.agent.Title, err))
		case result.Action != "":
			results = append(results, result)
		}
	}
	if len(waiting) > 0 {
		failed = append(failed, fmt.Errorf("there is no terminal to ask you in about %s; add --yes to write what is shown above", strings.Join(waiting, ", ")))
	}
	return results, failed
}

// write writes a plan, if people want it.
func (c *connecting) write(ctx context.Context, terminal *terminal, p planned) (connected, error) {
	result := connected{Agent: p.agent.Name, Path: p.plan.Path, Changes: p.plan.Changes, agent: p.agent, Action: "connected"}
	if len(c.entries) == 0 {
		result.Action = "disconnected"
	}
	if !c.yes {
		wanted, err := terminal.confirm(ctx, fmt.Sprintf("Write this to the configuration of %s?", p.agent.Title))
		if err != nil {
			return result, err
		}
		if !wanted {
			result.Action = "declined"
			return result, nil
		}
	}
	var err error
	result.Backup, err = p.plan.Apply()
	return result, err
}

// agentNames lists the agents for people.
func agentNames() string {
	var names []string
	for _, agent := range agentconfig.Agents() {
		names = append(names, agent.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func completeAgents(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []cobra.Completion
	for _, agent := range agentconfig.Agents() {
		if strings.HasPrefix(agent.Name, prefix) && !slices.Contains(args, agent.Name) {
			found = append(found, cobra.CompletionWithDesc(agent.Name, agent.Title))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
