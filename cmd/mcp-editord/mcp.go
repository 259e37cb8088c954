package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/reclaim"
	"github.com/mcp-editord/mcp-editord/mcpserver"
	"github.com/mcp-editord/mcp-editord/workspaceserver"
)

func (a *app) mcpCommand() *cobra.Command {
	o := mcpserver.Options{}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Give an agent your servers: an MCP server on standard input and output",
		Long: `Give an agent your servers: an MCP server on standard input and output.

Enter it in the configuration of the agent. The agent shares the servers with your
editors and other agents: each runs once. With --server NAME, it stands in for the
command of that server, whose tools keep their names.

The agent gets the servers of its roots, where it names some, else those of the
project above the working directory.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.NameLimit < 0 || o.ResultLimit < 0 {
				return &usageError{errors.New("--name-limit and --result-limit take no negative number")}
			}
			if slices.Contains(o.Servers, "") {
				return &usageError{errors.New("--server takes the name of a server")}
			}
			return a.serveAgent(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Servers, "server", nil, "give this server alone, with its own names; may be repeated, then names have the server in front (default all)")
	flags.StringArrayVar(&o.Folders, "folder", nil, "workspace folder, whatever the agent's roots are; may be repeated")
	flags.BoolVar(&o.Lazy, "lazy", false, "list a few tools that find, describe and call the others, to save tokens")
	flags.IntVar(&o.NameLimit, "name-limit", 0, "longest name of a tool, in characters; agents add a prefix (default 48, at least 24)")
	flags.IntVar(&o.ResultLimit, "result-limit", mcpserver.DefaultResultLimit, "bytes of a result, above which its text goes to files; 0 for no limit")
	return cmd
}

// serveAgent serves an agent until it goes, or until the process is told to end.
func (a *app) serveAgent(parent context.Context, o mcpserver.Options) error {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	defer stop()
	paths, err := a.paths()
	if err != nil {
		return err
	}
	if ipc.UnderDaemon(paths, os.Environ()) {
		return errors.New("the daemon runs this program as one of its servers, which would have it wait for itself; enter mcp-editord mcp in the configuration of the agent instead, and not in mcp.json")
	}
	if o.Dir, err = os.Getwd(); err != nil { // it is gone: such as that of a worktree
		a.complain(fmt.Errorf("the agent gets no servers of a project, unless it names folders: finding the working directory: %w", err))
	}
	for i, folder := range o.Folders {
		if o.Folders[i], err = folderPath(folder); err != nil {
			return err
		}
	}
	o.Home, _ = os.UserHomeDir() // without one, no folder is the home directory
	o.Version = a.version
	o.Environment, o.Umask = editorapi.Environment(os.Environ()), umask()
	privateFiles() // results in files are for this user alone
	o.ResultDir = filepath.Join(paths.StateDir, "results")
	o.Connect = func(ctx context.Context) (net.Conn, error) { return ipc.Connect(ctx, paths) }
	o.Dial = func(ctx context.Context) (net.Conn, error) { return ipc.Dial(ctx, paths) }
	o.Log = zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()), zapcore.AddSync(a.stderr), zap.WarnLevel))
	memory := reclaim.New() // most of the time this process waits, and there may be hundreds of it
	defer memory.Stop()
	o.Busy = memory.Trigger
	brokenPipesAreErrors()
	return mcpserver.Serve(ctx, a.stdin, a.stdout, o)
}

func (a *app) workspaceServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "workspace-server",
		Short: "Run the built-in MCP server on standard input and output",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return workspaceserver.Run(cmd.Context(), a.version, a.stdin, a.stdout)
		},
	}
}
