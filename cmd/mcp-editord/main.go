// Command mcp-editord is the daemon that shares MCP servers among editors, and the way in to it.
//
// Programs read standard output (with --json), people read standard error, where an error is one
// line. The exit codes are
//
//	0    the command succeeded
//	1    it failed, or the tool reported an error
//	2    the command line is wrong, or the call document
//	3    there is no such server, tool, prompt, resource or file; status: no daemon runs
//	4    it needs a person: an approval, a sign-in, an answer, or the person declined
//	130  Ctrl-C interrupted it
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/extensions/vscode"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/procgroup"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// The main goroutine has the main thread for itself. The system hands a signal such as SIGTERM to that
// thread, and if another goroutine waited there for a disk that does not answer, so would the signal.
func init() { runtime.LockOSThread() }

func main() {
	procgroup.Supervise()
	os.Exit(newApp(vscode.Package()).run(context.Background(), os.Args[1:]))
}

// newApp returns the program as main runs it, with the extension for VS Code that it carries.
func newApp(extension []byte) *app {
	return &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv,
		version: programVersion(), extension: extension,
	}
}

// app is what the subcommands share: their input and output, and the flags that all of them have.
type app struct {
	stdin   io.ReadCloser
	stdout  io.WriteCloser
	stderr  io.Writer
	getenv  func(string) string
	version string
	// extension is the extension for VS Code, a VSIX; nil when this program does not carry it.
	extension []byte

	// The flags, valid when a subcommand runs.
	places ipc.Flags
	json   bool
}

// run runs the program and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !errors.Is(err, errInterrupted) && !errors.Is(err, errToolFailed) && !errors.Is(err, errProblems) {
		a.complain(err)
	}
	return exitCode(err)
}

// daemonGroup is the last in the help, and has what is in no other.
const daemonGroup = "The daemon:"

// command returns the root command with its subcommands, which the help lists by what they are about.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "mcp-editord",
		Short:         "Run MCP servers once, for all your editors",
		Version:       a.version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(seeHelp)

	flags := root.PersistentFlags()
	flags.StringVar(&a.places.Socket, "socket", "", "socket of the daemon (default $MCP_EDITORD_SOCKET, else in /run/user, else in the state directory)")
	flags.StringVar(&a.places.Config, "config", "", "your configuration (default $MCP_EDITORD_CONFIG, else mcp-editord/mcp.json in $XDG_CONFIG_HOME)")
	flags.StringVar(&a.places.State, "state", "", "directory of logs, decisions and the audit (default mcp-editord in $XDG_STATE_HOME)")
	flags.BoolVar(&a.json, "json", false, "print JSON, for programs")

	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Servers:", []*cobra.Command{
			a.searchCommand(), a.addCommand(), a.importCommand(), a.removeCommand(),
			a.enableCommand("enable", "Let a server run, in the file that defines it", true),
			a.enableCommand("disable", "Keep a server from running, in the file that defines it", false),
			a.editCommand(), a.serversCommand(), a.startCommand(), a.stopCommand(), a.restartCommand(),
			a.logsCommand(), a.rootsCommand(), a.approvalsCommand(), a.signInCommand(), a.signOutCommand(),
			a.doctorCommand(),
		}},
		{"Calls:", []*cobra.Command{
			a.toolsCommand(), a.callCommand(), a.promptsCommand(), a.resourcesCommand(), a.runCommand(),
		}},
		{"Editors and agents:", []*cobra.Command{
			a.setupCommand(), a.installCommand(), a.connectCommand(), a.disconnectCommand(),
			a.attachCommand(), a.mcpCommand(),
		}},
		{daemonGroup, []*cobra.Command{
			a.statusCommand(), a.serveCommand(), a.auditCommand(), a.versionCommand(), a.workspaceServerCommand(),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
		}
		root.AddCommand(group.commands...)
	}
	root.SetHelpCommandGroupID(daemonGroup)
	root.SetCompletionCommandGroupID(daemonGroup)
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	return root
}

// paths returns the daemon's paths, as the flags and the environment choose them.
func (a *app) paths() (ipc.Paths, error) {
	return ipc.ResolvePaths(a.places, a.getenv)
}

// withPaths makes what runs a command that needs no more than the daemon's paths.
func (a *app) withPaths(do func(ctx context.Context, paths ipc.Paths) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		paths, err := a.paths()
		if err != nil {
			return err
		}
		return do(cmd.Context(), paths)
	}
}

// print writes a result: text for people, value as one line of JSON for programs.
func (a *app) print(text string, value any) error {
	if a.json {
		return a.printJSON(value)
	}
	return write(a.stdout, text+"\n")
}

// complain writes an error as one line for people.
func (a *app) complain(err error) {
	text := strings.Join(strings.Fields(err.Error()), " ") // it may quote servers
	fmt.Fprintf(a.stderr, "mcp-editord: %s\n", safetext.Line(text, math.MaxInt))
}

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string {
	text := e.err.Error()
	if !strings.Contains(text, "; ") { // else it says what to do
		text += "; see mcp-editord --help"
	}
	return text
}
func (e *usageError) Unwrap() error { return e.err }

// checkArguments has wrong arguments of a command, and of those below it, be usage errors. A command that does not say what
// it takes, takes none.
func checkArguments(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = cobra.NoArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		switch {
		case err == nil:
			return nil
		case cmd.HasSubCommands() && len(args) > 0:
			return &usageError{unknownCommand(cmd, args[0])}
		}
		return seeHelp(cmd, err)
	}
	for _, sub := range cmd.Commands() {
		checkArguments(sub)
	}
}

// seeHelp makes an error of cobra about a command a usage error.
func seeHelp(cmd *cobra.Command, err error) error {
	return &usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
}

// unknownCommand is the error for a word that is none of the commands below cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s", word, didYouMean(word, names, "to list them: "+cmd.CommandPath()+" --help"))
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			return a.print(a.version, map[string]string{"version": a.version})
		},
	}
}

// version is set by the linker: see the Makefile.
var version string

// programVersion returns the version that the linker set, or else the version of the main module,
// which the go command records.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}
