package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

func (a *app) startCommand() *cobra.Command {
	daemon := func(ctx context.Context, paths ipc.Paths) error {
		conn, err := ipc.Connect(ctx, paths)
		if err != nil {
			return err
		}
		defer conn.Close()
		socket := conn.RemoteAddr().String()
		return a.print(socket, map[string]string{"socket": socket})
	}
	cmd := a.ofServers("start [SERVER]", "Make sure that a daemon runs, and print its socket; or start a server")
	return a.ofDaemon(a.inWorkspace(cmd, moving(editorapi.ServerReady, editorapi.MethodStartServer.Call)), daemon)
}

// stopTimeout is how long a daemon may take to end its servers and itself.
const stopTimeout = 15 * time.Second

func (a *app) stopCommand() *cobra.Command {
	daemon := func(ctx context.Context, paths ipc.Paths) error {
		ctx, cancel := context.WithTimeout(ctx, stopTimeout)
		defer cancel()
		pid, err := ipc.Stop(ctx, paths)
		if errors.Is(err, ipc.ErrNotRunning) {
			return a.print("no daemon is running", map[string]bool{"stopped": false})
		}
		if err != nil {
			return err
		}
		return a.print(fmt.Sprintf("the daemon, process %d, has stopped", pid), map[string]any{"stopped": true, "pid": pid})
	}
	cmd := a.ofServers("stop [SERVER]", "Stop the daemon and its servers; or one server")
	return a.ofDaemon(a.looking(cmd, moving(editorapi.ServerStopped, editorapi.MethodStopServer.Call)), daemon)
}

func (a *app) restartCommand() *cobra.Command {
	change := moving(editorapi.ServerReady, editorapi.MethodRestartServer.Call)
	return a.inWorkspace(a.ofServers("restart SERVER", "Stop a server and start it anew"), func(ctx context.Context, s *session, args []string) error {
		if len(args) > 0 {
			return change(ctx, s, args)
		}
		names, err := s.names(ctx)
		return cmp.Or[error](err, &usageError{fmt.Errorf("say which server to restart; there are: %s", strings.Join(names, ", "))})
	})
}

// ofDaemon has a command be about the daemon when it has no argument.
func (a *app) ofDaemon(cmd *cobra.Command, do func(context.Context, ipc.Paths) error) *cobra.Command {
	ofServer := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return ofServer(cmd, args)
		}
		return a.withPaths(do)(cmd, args)
	}
	return cmd
}

// moving returns what changes the life of the server in args, waits until it is in a state, and prints it.
func moving(state editorapi.ServerState, move mover) func(context.Context, *session, []string) error {
	return func(ctx context.Context, s *session, args []string) error {
		server, err := s.moved(ctx, args[0], state, move)
		if err != nil {
			return err
		}
		return s.printServer(server, "is "+string(state))
	}
}
