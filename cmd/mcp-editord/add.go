package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// adding is add or import while it runs.
type adding struct {
	*session
	consent
	params  editorapi.ProposeServersParams
	project bool // into the .mcp.json of the folder

	force, replace bool
}

// flags declares the flags that add and import share.
func (c *adding) flags(cmd *cobra.Command) {
	c.consent.flags(cmd)
	cmd.Flags().BoolVar(&c.project, "project", false, "write it to .mcp.json of the folder, for all who work on it")
	cmd.Flags().BoolVar(&c.replace, "replace", false, "put it in the place of another server of that name")
}

// maxPasted is how many MiB of standard input `add -` reads.
const maxPasted = 1

func (a *app) addCommand() *cobra.Command {
	c := &adding{}
	var cmd *cobra.Command
	cmd = a.inWorkspace(&cobra.Command{
		Use:   "add [NAME] WHAT | add NAME -- COMMAND ARG…",
		Short: "Add a server: from a command, an address, a package, the registry or the JSON of another program",
		Long: `Add a server to your configuration. The program shows what it will write and run, asks, and starts the server
once before it writes. A value that is a secret is asked for and kept in the keyring of the system.`,
		Example: `  mcp-editord add everything -- npx -y @modelcontextprotocol/server-everything
  mcp-editord add https://example.com/mcp
  mcp-editord add npm:@modelcontextprotocol/server-everything
  mcp-editord add pypi:mcp-server-time --env TZ=UTC
  mcp-editord add io.github.example/weather
  mcp-editord add '{"mcpServers": {"files": {"command": "files-mcp"}}}'
  mcp-editord add -                                      # reads any of these from standard input`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("say what to add; mcp-editord add --help shows the ways")
			}
			return nil
		},
	}, func(ctx context.Context, s *session, args []string) error {
		c.session = s
		c.params.Words = args
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			c.params.Words, c.params.Command = args[:dash], args[dash:]
		}
		if len(args) > 0 && args[len(args)-1] == "-" && c.params.Command == nil {
			text, err := readAtMost(s.stdin, maxPasted, "standard input")
			if err != nil {
				return err
			}
			c.params.Words[len(args)-1] = string(text)
		}
		return c.run(ctx)
	})
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%w; put -- before a command that has flags: mcp-editord add NAME -- COMMAND ARG…", err)}
	})
	cmd.Flags().StringArrayVar(&c.params.Env, "env", nil, "an environment variable, KEY=VALUE, or KEY to be asked for it; may be repeated")
	cmd.Flags().StringArrayVar(&c.params.Headers, "header", nil, "a header, 'KEY: VALUE', or KEY to be asked for it; may be repeated")
	cmd.Flags().BoolVar(&c.force, "force", false, "write it although it does not start")
	c.flags(cmd)
	return cmd
}

// run proposes servers, shows them, asks and adds them.
func (c *adding) run(ctx context.Context) error {
	if c.project {
		c.params.Folder = c.folders[0].URI
	}
	answer, err := editorapi.MethodProposeServers.Call(ctx, c.client, c.params)
	if err != nil {
		return err
	}
	for _, problem := range answer.Value.Problems {
		c.complain(errors.New(problem))
	}
	proposed := answer.Value.Servers
	if answer.Value.Choose && len(proposed) > 1 {
		if proposed, err = c.choose(ctx, proposed); err != nil {
			return err
		}
	}
	if c.dryRun && c.json {
		for i := range proposed {
			proposed[i].Secrets = nil
		}
		return c.printJSON(map[string]any{"servers": proposed})
	}
	return each(ctx, c.app, proposed, func(server editorapi.ProposedServer) error {
		return c.one(ctx, server)
	})
}

// choose asks which way to run a server; with --yes, and where nobody can be asked, that is the first.
func (c *adding) choose(ctx context.Context, ways []editorapi.ProposedServer) ([]editorapi.ProposedServer, error) {
	if c.yes || c.dryRun || !c.terminal.answers() {
		return ways[:1], nil
	}
	question := "It can be run in these ways:\n"
	for i, way := range ways {
		question += fmt.Sprintf("  %d  %s\n", i+1, safetext.Line(way.Runs, math.MaxInt))
	}
	line, err := c.terminal.put(ctx, question, "Which one? [1] ")
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(line), "1"))
	if err != nil || n < 1 || n > len(ways) {
		return nil, fmt.Errorf("%q is not one of the ways; nothing was added", line)
	}
	return ways[n-1 : n], nil
}

// one shows a server, asks and adds it.
func (c *adding) one(ctx context.Context, server editorapi.ProposedServer) error {
	file := fileuri.Shown(server.File)
	switch {
	case server.State == editorapi.ProposalSame:
		return c.print(fmt.Sprintf("server %q is in %s already", server.Name, file), map[string]string{"server": server.Name, "action": "unchanged"})
	case server.State == editorapi.ProposalDifferent && !c.replace:
		return fmt.Errorf("%s has another server %q; give it another name, or add --replace", file, server.Name)
	}
	ok, err := c.agreed(ctx, c.terminal, c.consent, proposalText(server), "Add it?")
	if !ok {
		return err
	}
	over := c.waitsFor(server.Name)
	began := time.Now()
	answer, err := editorapi.MethodAddServer.Call(ctx, c.client, editorapi.AddServerParams{
		Server: server, Replace: c.replace, Force: c.force, Trusted: c.params.From != "",
	})
	over()
	switch {
	case err != nil:
		return err
	case answer.Value.Place == nil:
		return c.notAdded(answer.Value.Server)
	}
	text := fmt.Sprintf("server %q was added to %s", server.Name, fileuri.Shown(answer.Value.Place.URI))
	switch answer.Value.Server.State {
	case editorapi.ServerReady:
		text += fmt.Sprintf("\n  it started in %.1f s", time.Since(began).Seconds())
		catalog, _ := editorapi.MethodCatalog.Call(ctx, c.client, editorapi.CatalogParams{Server: server.Name})
		for _, of := range catalog.Value.Servers { // without it, nothing is said
			text += fmt.Sprintf("; tools: %d, prompts: %d, resources: %d",
				len(of.Tools), len(of.Prompts), len(of.Resources)+len(of.ResourceTemplates))
		}
	case editorapi.ServerNeedsSignIn:
		text += "\n  to sign in: " + editorapi.SignInCommand(server.Name)
	}
	return c.print(text, answer.Value)
}

// notAdded returns why a server was not added. What it wrote last is printed before.
func (c *adding) notAdded(server editorapi.Server) error {
	if server.Error == nil {
		return editorapi.NotReady(server)
	}
	said := &table{}
	for _, line := range server.Error.Stderr {
		said.note("| " + line)
	}
	return cmp.Or(said.write(c.stderr, ""), fmt.Errorf(
		"%s; nothing was written: to write it all the same, add --force",
		wording.OfServer(server.Name, server.Error.Message)))
}

// proposalText shows a server that is not added yet.
func proposalText(server editorapi.ProposedServer) string {
	t := &table{}
	t.row("server", server.Name)
	t.row("runs", server.Runs)
	t.row("from", server.From)
	for _, note := range server.Notes {
		t.row("note", note)
	}
	for _, in := range server.Inputs {
		how := "is asked for"
		if _, known := server.Secrets[in.ID]; known {
			how = "is kept as a secret"
		}
		t.row("value", in.ID+" "+how)
	}
	t.row("file", fileuri.Shown(server.File))
	t.note(server.Text)
	return t.String()
}

func (a *app) importCommand() *cobra.Command {
	c := &adding{}
	cmd := a.inWorkspace(&cobra.Command{
		Use:   "import",
		Short: "Add the servers that other programs have: agents, editors and their chats",
		Long: `Add the servers that stand in the files of other programs. All that are new are shown, and added when
you agree. The files of the others are only read, and the servers are not started.`,
		Example: `  mcp-editord import --dry-run
  mcp-editord import --from claude
  mcp-editord import --from ~/project/mcp.json`,
		Args: cobra.NoArgs,
	}, func(ctx context.Context, s *session, _ []string) error {
		c.session = s
		if from := c.params.From; strings.ContainsAny(from, `/\.`) { // the daemon has another working directory
			path, err := filepath.Abs(from)
			if err != nil {
				return err
			}
			c.params.From = path
		}
		return c.run(ctx)
	})
	cmd.Flags().StringVar(&c.params.From, "from", "all", "a program, such as claude, cursor or vscode, or the path of a file; all for every program")
	c.flags(cmd)
	return cmd
}
