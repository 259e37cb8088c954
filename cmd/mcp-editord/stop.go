package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/daemon"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// stopTimeout is how long a daemon is given to end its servers and itself.
const stopTimeout = 15 * time.Second

func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the daemon and all servers that it runs",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), stopTimeout)
			defer cancel()
			var conn net.Conn
			dial := func(ctx context.Context, p daemon.Paths) (_ net.Conn, err error) {
				conn, err = daemon.Dial(ctx, p)
				return conn, err
			}
			var pid int
			err := a.attached(ctx, dial, nil, func(ctx context.Context, s *session) (err error) {
				pid, err = s.stopDaemon(ctx, conn)
				return err
			})
			if errors.Is(err, daemon.ErrNotRunning) {
				return a.print("no daemon is running", map[string]bool{"stopped": false})
			}
			if err != nil {
				return err
			}
			return a.print(fmt.Sprintf("the daemon, process %d, has stopped", pid), map[string]any{"stopped": true, "pid": pid})
		},
	}
}

// stopDaemon asks the daemon behind conn to end and waits until it has. It closes
// its connections last, after its servers have ended.
func (s *session) stopDaemon(ctx context.Context, conn net.Conn) (pid int, err error) {
	var status editorapi.Status
	if err := s.call(ctx, "editord/status", struct{}{}, &status); err != nil {
		return 0, err
	}
	pid, err = peerPID(conn)
	if err != nil {
		return 0, fmt.Errorf("asking the system for the daemon's process: %w", err)
	}
	if pid != status.PID {
		// A container's socket may be seen from outside, where its numbers mean other processes.
		return 0, fmt.Errorf("the daemon says that it is process %d, and the system that it is %d; stop it where it was started", status.PID, pid)
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return 0, fmt.Errorf("finding process %d: %w", pid, err)
	}
	if err := process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("telling process %d to end: %w", pid, err)
	}
	select {
	case <-s.client.Done():
		return pid, nil
	case <-ctx.Done():
		return 0, fmt.Errorf("process %d has not ended within %v; kill -9 %d ends it at once", pid, stopTimeout, pid)
	}
}
