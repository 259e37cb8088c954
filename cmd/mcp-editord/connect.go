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
	cmd := ofAgents("connect", "Have coding agents use your servers through this program")
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
	cmd := ofAgents("disconnect", "Take this program out of the configuration of coding agents")
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

// ofAgents returns a command whose arguments are agents.
func ofAgents(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:               name + " AGENT… | --all",
		Short:             short,
		Long:              short + ".\n\nAGENT is " + agentNames() + ".",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeAgents,
	}
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

// errNobody means that people would have to agree, and nobody can be asked.
var errNobody = errors.New("nobody can be asked")

// run does what can be done for each agent. What fails for one does not keep it from the others.
func (c *connecting) run(cmd *cobra.Command, agents []agentconfig.Agent) error {
	paths, err := c.paths()
	if err != nil {
		return err
	}
	c.backups = agentconfig.Backups(filepath.Join(paths.StateDir, "backups"))
	var results []connected
	var failed []error
	var waiting []string
	interrupted := untilInterrupted(cmd.Context(), func(ctx context.Context) error {
		for _, agent := range agents {
			if ctx.Err() != nil {
				break
			}
			switch result, err := c.change(ctx, agent); {
			case errors.Is(err, errNobody):
				waiting = append(waiting, agent.Title)
			case err != nil:
				failed = append(failed, fmt.Errorf("%s: %w", agent.Title, err))
			default:
				results = append(results, result)
			}
		}
		return ctx.Err()
	})
	if len(waiting) > 0 {
		failed = append(failed, fmt.Errorf("there is no terminal to ask you in about %s; add --yes to write what is shown above", strings.Join(waiting, ", ")))
	}
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

// change shows what changes for an agent, asks, and writes it.
func (c *connecting) change(ctx context.Context, agent agentconfig.Agent) (connected, error) {
	result := connected{Agent: agent.Name, agent: agent}
	var plan *agentconfig.Plan
	var err error
	switch {
	case agent.Printed() && len(c.entries) == 0:
		return result, errors.New("nothing writes its configuration; take the entry out by hand")
	case agent.Printed():
		result.Action = "byHand"
		result.ByHand, err = agent.ByHand(c.entries)
		return result, err
	case len(c.entries) == 0:
		plan, err = agent.Disconnect(c.getenv, c.backups)
	default:
		plan, err = agent.Connect(c.getenv, c.backups, c.entries, c.replace)
	}
	if err != nil {
		return result, err
	}
	if result.Path, result.Changes = plan.Path, plan.Changes; len(plan.Changes) == 0 {
		result.Action = "unchanged"
		return result, nil
	}
	if err := c.show(plan); err != nil {
		return result, err
	}
	if c.dryRun {
		result.Action = "planned"
		return result, nil
	}
	if !c.yes {
		terminal := c.terminal()
		if !terminal.answers() {
			return result, errNobody
		}
		wanted, err := terminal.confirm(ctx, fmt.Sprintf("Write this to the configuration of %s?", agent.Title))
		if err != nil || !wanted {
			result.Action = "declined"
			return result, err
		}
	}
	result.Action = "connected"
	if len(c.entries) == 0 {
		result.Action = "disconnected"
	}
	result.Backup, err = plan.Apply()
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
