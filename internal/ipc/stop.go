package ipc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/peercred"
)

// stopPause is how often Stop looks whether the daemon has ended.
const stopPause = 20 * time.Millisecond

// Stop tells the daemon of p to end, waits until it has, and returns its process id. Calls under way
// get a moment, and its servers end first. Stop returns [ErrNotRunning] when there is no daemon, and
// fails like [Dial] when p names another. ctx bounds the wait.
func Stop(ctx context.Context, p Paths) (pid int, err error) {
	conn, at, err := reach(ctx, p)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	daemon, err := peercred.Of(conn)
	if err != nil {
		return 0, err
	}
	if daemon.PID <= 0 {
		return 0, errors.New("the daemon runs where this system cannot see its process; stop it there")
	}
	process, err := os.FindProcess(daemon.PID)
	if err != nil {
		return 0, fmt.Errorf("finding the daemon, process %d: %w", daemon.PID, err)
	}
	if err := process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("telling the daemon, process %d, to end: %w", daemon.PID, err)
	}
	// The daemon holds the lock to the very end; the next daemon may take it then.
	for {
		lock, err := acquireLock(at.LockFile(), 0)
		switch {
		case err != nil:
			return 0, err
		case lock != nil:
			return daemon.PID, lock.Close()
		case !processLives(process):
			return daemon.PID, nil // and another daemon has started
		}
		select {
		case <-time.After(stopPause):
		case <-ctx.Done():
			return 0, fmt.Errorf("the daemon, process %d, has not ended yet; kill -9 %d ends it at once", daemon.PID, daemon.PID)
		}
	}
}

func processLives(p *os.Process) bool { return p.Signal(syscall.Signal(0)) == nil }
