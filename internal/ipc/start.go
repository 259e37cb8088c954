package ipc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
)

// ExitAlreadyRunning is the exit code of `serve` with the flag [StartedFlag] when [Listen] returned
// [ErrAlreadyRunning]. It tells a start that lost a race from one that failed. Nobody else sees it.
const ExitAlreadyRunning = 75

// StartedFlag is the flag with which Connect starts a daemon.
const StartedFlag = "started"

const (
	startTimeout = 10 * time.Second // from the first try to connect until the daemon accepts
	startPause   = 10 * time.Millisecond

	maxErrorTail  = 4 << 10 // bytes of the error file to look at
	maxErrorLines = 5       // lines of it that go into a message
)

// Connect connects to the daemon of p and starts one when there is none: this
// program's `serve`, with the socket and the configuration of p, in a session of
// its own. However many connect at once, one daemon is started.
//
// It fails when the daemon that runs has another socket or configuration than p names. It returns after
// at most 10 s. When the daemon ends before it accepts, the error has the last
// lines that it wrote to standard error. The connection has the method TryWrite, and the address at its
// other end is the socket of the daemon.
func Connect(ctx context.Context, p Paths) (net.Conn, error) {
	conn, _, err := connect(ctx, p, serveCommand)
	if err != nil {
		return nil, err
	}
	return newConn(conn, func() {}), nil
}

// serveCommand returns the command that starts the daemon of p.
func serveCommand(p Paths) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's own file: %w", err)
	}
	cmd := exec.Command(exe, "serve", "--"+StartedFlag, "--socket", p.Socket, "--config", p.Config, "--state", p.StateDir)
	cmd.Env = procgroup.Unmarked(os.Environ()) // an editor may itself run under a server
	return cmd, nil
}

// connect is Connect with the command that starts a daemon as a parameter. It also returns the daemon's
// own paths.
func connect(ctx context.Context, p Paths, command func(Paths) (*exec.Cmd, error)) (*net.UnixConn, Paths, error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()

	s := starter{paths: p, command: command}
	defer s.release()
	for {
		conn, at, err := reach(ctx, p)
		if err == nil || !errors.Is(err, ErrNotRunning) {
			return conn, at, err
		}
		if err := s.ensure(); err != nil {
			return nil, Paths{}, fmt.Errorf("starting the daemon: %w", err)
		}
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			if err := parent.Err(); err != nil {
				return nil, Paths{}, err
			}
			return nil, Paths{}, fmt.Errorf("the daemon has not accepted a connection within %v; the reason is in %s or %s", startTimeout, p.ErrorFile(), p.LogFile())
		}
	}
}

// starter starts one daemon, if nobody else does. It is used by one goroutine.
type starter struct {
	paths   Paths
	command func(Paths) (*exec.Cmd, error)
	turn    *flock.Flock          // of the start lock: held by the one whose turn it is to start a daemon
	ended   chan *os.ProcessState // takes the end of the daemon that was started; nil when none is
}

// ensure starts a daemon unless one runs, starts or is just ending. It does not wait:
// the caller calls it again until the daemon accepts. It fails when the daemon that it
// started has ended.
func (s *starter) ensure() error {
	if s.ended != nil {
		select {
		case state := <-s.ended:
			if state.ExitCode() != ExitAlreadyRunning {
				return s.explain(state)
			}
			s.ended = nil // somebody else's daemon was there first
		default:
			return nil
		}
	}
	if err := ensureDirs(s.paths); err != nil {
		return err
	}
	if s.turn == nil {
		turn, err := acquireLock(s.paths.startLockFile(), 0)
		if turn == nil {
			return err
		}
		s.turn = turn
	}
	// A daemon that is ending holds its lock until it has ended its servers.
	if free, err := daemonLockFree(s.paths); !free {
		return err
	}
	return s.spawn()
}

// spawn starts the daemon in the background, with this process's environment. Servers get
// theirs from each editor's initialize.
func (s *starter) spawn() error {
	cmd, err := s.command(s.paths)
	if err != nil {
		return err
	}
	// Appending, because an ending daemon may still have the file open.
	stderr, err := os.OpenFile(s.paths.ErrorFile(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the daemon's error file: %w", err)
	}
	defer stderr.Close()
	cmd.Dir = s.paths.StateDir // the editor's directory must stay free to be removed or unmounted
	cmd.Stdout, cmd.Stderr = stderr, stderr
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	// Ends with the daemon or with this process, whichever ends first.
	ended := make(chan *os.ProcessState, 1)
	go func() {
		_ = cmd.Wait()
		ended <- cmd.ProcessState
	}()
	s.ended = ended
	return nil
}

// explain returns the error for a daemon that ended before it accepted.
func (s *starter) explain(state *os.ProcessState) error {
	if lines := lastLines(s.paths.ErrorFile()); lines != "" {
		return errors.New(lines)
	}
	return fmt.Errorf("it ended at once (%v); the reason is in %s", state, s.paths.LogFile())
}

// release lets the next one start a daemon.
func (s *starter) release() {
	if s.turn != nil {
		s.turn.Close() // an error leaves the lock to the end of this process
	}
}

// lastLines returns the end of a daemon's error file as one line, "" when there
// is none.
func lastLines(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text := make([]byte, maxErrorTail)
	size, _ := f.Seek(0, io.SeekEnd)
	n, _ := f.ReadAt(text, max(0, size-maxErrorTail)) // what can be read counts
	text = text[:n]
	var lines []string
	for line := range bytes.Lines(text) {
		if s := strings.TrimSpace(strings.ToValidUTF8(string(line), "?")); s != "" {
			lines = append(lines, strings.TrimPrefix(s, "mcp-editord: "))
		}
	}
	return strings.Join(lines[max(0, len(lines)-maxErrorLines):], "; ")
}
