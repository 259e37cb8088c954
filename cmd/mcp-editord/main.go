// Command mcp-editord is the daemon that shares MCP servers among editors, and the way in to it.
//
// Programs read standard output (with --json), people read standard error, where an error is one
// line. The exit codes are
//
//	0    the command succeeded
//	1    it failed; call and run: or the tool reported an error
//	2    the command line is wrong; run: or the call document
//	3    serve: another daemon has the state directory or the socket already
//	4    status: no daemon runs
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

const (
	exitFailure     = 1
	exitUsage       = 2
	exitNotRunning  = 4
	exitInterrupted = 130
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

func exitCode(err error) int {
	switch usage := (*usageError)(nil); {
	case errors.As(err, &usage), errors.Is(err, errProblems):
		return exitUsage
	case errors.Is(err, ipc.ErrAlreadyRunning):
		return ipc.ExitAlreadyRunning
	case errors.Is(err, ipc.ErrNotRunning):
		return exitNotRunning
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	default:
		return exitFailure
	}
}

// command returns the root command with its subcommands.
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
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })

	flags := root.PersistentFlags()
	flags.StringVar(&a.places.Socket, "socket", "", "socket of the daemon (default $MCP_EDITORD_SOCKET, else in /run/user, else in the state directory)")
	flags.StringVar(&a.places.Config, "config", "", "your configuration (default $MCP_EDITORD_CONFIG, else mcp-editord/mcp.json in $XDG_CONFIG_HOME)")
	flags.StringVar(&a.places.State, "state", "", "directory of logs, decisions and the audit (default mcp-editord in $XDG_STATE_HOME)")
	flags.BoolVar(&a.json, "json", false, "print JSON, for programs")

	root.AddCommand(
		a.approvalsCommand(),
		a.attachCommand(),
		a.auditCommand(),
		a.callCommand(),
		a.connectCommand(),
		a.disconnectCommand(),
		a.installCommand(),
		a.logsCommand(),
		a.mcpCommand(),
		a.promptsCommand(),
		a.rootsCommand(),
		a.runCommand(),
		a.serveCommand(),
		a.serversCommand(),
		a.signInCommand(),
		a.signOutCommand(),
		a.startCommand(),
		a.statusCommand(),
		a.stopCommand(),
		a.toolsCommand(),
		a.versionCommand(),
		a.workspaceServerCommand(),
	)
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

func (e *usageError) Error() string { return e.err.Error() + "; see mcp-editord --help" }
func (e *usageError) Unwrap() error { return e.err }

// checkArguments has wrong arguments of a command, and of those below it, be usage errors. A command that does not say what
// it takes, takes none.
func checkArguments(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = cobra.NoArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err}
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		checkArguments(sub)
	}
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
