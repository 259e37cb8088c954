package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// leaving is how long the daemon has to say goodbye.
const leaving = 2 * time.Second

// The errors that are not printed: there is nothing more to say.
var (
	errInterrupted = errors.New("interrupted by Ctrl-C")
	errToolFailed  = errors.New("the tool reported an error") // its text is printed already
)

// session is a command as the daemon sees it: one more editor, which starts no servers by itself.
type session struct {
	*app
	client      *editorapi.Client
	terminal    *terminal // nil when nobody is there to read along
	folders     []editorapi.Folder
	destructive bool                    // run destructive tools without asking
	saveDir     string                  // where files of results go; "": nowhere
	changed     chan struct{}           // gets a value after a change of a server, if it has none
	updated     chan struct{}           // likewise after an update of the resource, or of the log, that the command follows
	end         context.CancelCauseFunc // ends what the command follows
}

// A dialer connects to the daemon: [ipc.Connect] or [ipc.Dial].
type dialer func(context.Context, ipc.Paths) (net.Conn, error)

// inWorkspace makes a command that runs do. It attaches to the daemon as an editor on the folders of
// the flag --folder, and starts the daemon if there is none. Servers can ask questions in its terminal.
// Ctrl-C ends it.
func (a *app) inWorkspace(cmd *cobra.Command, do func(ctx context.Context, s *session, args []string) error) *cobra.Command {
	return a.inFolders(cmd, true, do)
}

// looking is inWorkspace for a command that no server asks: a server may be initialized anew for
// somebody who can answer.
func (a *app) looking(cmd *cobra.Command, do func(ctx context.Context, s *session, args []string) error) *cobra.Command {
	return a.inFolders(cmd, false, do)
}

// ofServer returns a command with one argument, the name of a server.
func (a *app) ofServer(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(1), ValidArgsFunction: a.complete(nil, serverNames)}
}

// ofServers is ofServer for a command that is about all servers when no name is given.
func (a *app) ofServers(use, short string) *cobra.Command {
	cmd := a.ofServer(use, short)
	cmd.Args = cobra.MaximumNArgs(1)
	return cmd
}

func (a *app) inFolders(cmd *cobra.Command, answers bool, do func(ctx context.Context, s *session, args []string) error) *cobra.Command {
	cmd.Flags().StringArray("folder", nil, "workspace folder; may be repeated (default the working directory)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folders, err := workspaceFolders(cmd)
		if err != nil {
			return err
		}
		return a.attached(cmd.Context(), ipc.Connect, folders, answers, func(ctx context.Context, s *session) error {
			return do(ctx, s, args)
		})
	}
	return cmd
}

// attached calls do with a session, and ends the session when do returns.
func (a *app) attached(parent context.Context, dial dialer, folders []editorapi.Folder, answers bool, do func(context.Context, *session) error) error {
	return untilInterrupted(parent, func(ctx context.Context) error {
		s := &session{
			app: a, terminal: a.terminal(), folders: folders,
			changed: make(chan struct{}, 1), updated: make(chan struct{}, 1),
		}
		ctx, s.end = context.WithCancelCause(ctx)
		defer s.end(nil)
		err := s.attach(ctx, dial, answers && s.terminal.answers())
		if err == nil {
			err = s.explained(ctx, do(ctx, s))
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving) // even when it has ended
			defer cancel()
			_ = s.client.Close(ctx)
		}
		return err
	})
}

// untilInterrupted calls do. Ctrl-C ends its ctx, and what fails then is [errInterrupted]; a second one ends the process at
// once.
func untilInterrupted(parent context.Context, do func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	err := do(ctx)
	if err != nil && ctx.Err() != nil && parent.Err() == nil {
		return errInterrupted
	}
	return err
}

const (
	ending    = 5 * time.Second // for a daemon that was killed to let go of its socket: with many servers it takes long
	dialPause = 20 * time.Millisecond
)

// attach connects and shakes hands. answering tells the servers that they can ask the user. A daemon that was killed
// loses its connections before its socket, so who comes just then tries again.
func (s *session) attach(ctx context.Context, dial dialer, answering bool) error {
	paths, err := s.paths()
	if err != nil {
		return err
	}
	o := editorapi.ClientOptions{
		Name: "mcp-editord", Version: s.version, Folders: s.folders,
		Capabilities: editorapi.Capabilities{MCP: true},
		Environment:  editorapi.Environment(os.Environ()), Umask: umask(),
		Message:       s.message,
		ServerChanged: func(editorapi.Server) { note(s.changed) },
		ServerLogged:  func(editorapi.ServerLogged) { note(s.updated) },
		Relayed: func(_ string, n editorapi.MCPNotification) {
			if len(n.Subscribed) > 0 { // there is no more than one subscription
				note(s.updated)
			}
		},
		SubscriptionEnded: func(e editorapi.SubscriptionEnded) { s.end(errors.New(e.Reason)) },
	}
	if answering {
		o.Capabilities.Elicitation = json.RawMessage(`{"form":{}}`)
	}
	if s.terminal.answers() {
		o.Elicit = s.terminal.elicit
	}
	for began := time.Now(); ; {
		conn, err := dial(ctx, paths)
		if err != nil {
			return err
		}
		s.client, err = editorapi.NewClient(ctx, conn, o)
		if !errors.Is(err, editorapi.ErrDaemonGone) || time.Since(began) > ending {
			return err
		}
		select {
		case <-time.After(dialPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// explained turns an error from the daemon or a server into one for people.
func (s *session) explained(ctx context.Context, err error) error {
	own, ok := errors.AsType[*editorapi.Error](err)
	if ok && own.Kind == editorapi.KindServerNotFound {
		names, _ := s.names(ctx) // without them there is another advice
		return notFound("there is no server %q in this workspace%s", own.Server,
			didYouMean(own.Server, names, "to list the servers: mcp-editord servers"))
	}
	if theirs, ok := errors.AsType[*editorapi.RPCError](err); ok {
		return &codedError{fmt.Errorf("the server answered with error %d: %w", theirs.Code, theirs), exitCode(err)}
	}
	return err // it says what to do
}

// message prints a message from the daemon, such as a problem in the configuration.
func (s *session) message(_ editorapi.Severity, text string) {
	s.terminal.clear()
	s.complain(errors.New(text))
}

// note puts a value into a channel that has room for one.
func note(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// servers returns the servers of the workspace.
func (s *session) servers(ctx context.Context) ([]editorapi.Server, error) {
	answer, err := editorapi.MethodServers.Call(ctx, s.client, editorapi.Nothing{})
	return answer.Value.Servers, err
}

// names returns the names of the servers of the workspace.
func (s *session) names(ctx context.Context) (names []string, err error) {
	servers, err := s.servers(ctx)
	for _, server := range servers {
		names = append(names, server.Name)
	}
	return names, err
}

// server returns one server of the workspace.
func (s *session) server(ctx context.Context, name string) (editorapi.Server, error) {
	servers, err := s.servers(ctx)
	for _, server := range servers {
		if server.Name == name {
			return server, nil
		}
	}
	return editorapi.Server{}, cmp.Or[error](err, &editorapi.Error{Kind: editorapi.KindServerNotFound, Server: name})
}

// start makes sure that a server runs, and waits until it is ready.
func (s *session) start(ctx context.Context, name string) error {
	_, err := s.moved(ctx, name, editorapi.ServerReady, editorapi.MethodStartServer.Call)
	return err
}

// A mover is a request that changes the life of a server.
type mover func(context.Context, *editorapi.Client, editorapi.ServerParams) (editorapi.Answer[editorapi.Server], error)

// moved changes the life of a server, and waits until it is in a state.
func (s *session) moved(ctx context.Context, name string, state editorapi.ServerState, move mover) (editorapi.Server, error) {
	over := s.waitsFor(name)
	answer, err := move(ctx, s.client, editorapi.ServerParams{Server: name})
	over()
	if err == nil && answer.Value.State != state {
		err = editorapi.NotReady(answer.Value)
	}
	return answer.Value, err
}

// workspaceFolders returns the folders of the flag --folder, else the working directory.
func workspaceFolders(cmd *cobra.Command) ([]editorapi.Folder, error) {
	names, err := cmd.Flags().GetStringArray("folder")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	var folders []editorapi.Folder
	for _, name := range names {
		path, err := folderPath(name)
		if err != nil {
			return nil, err
		}
		folders = append(folders, editorapi.Folder{URI: fileuri.FromPath(path), Name: filepath.Base(path)})
	}
	return folders, nil
}

// folderPath returns the path of a folder that --folder names.
func folderPath(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("finding the folder %q: %w", name, err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", notFound("%q is not a folder; name one with --folder", path)
	}
	return path, nil
}

// slowStart is how long a server may take to start before the user is told what the program waits for.
const slowStart = time.Second

// waitsFor says on standard error what the program waits for, if a server takes long to start. The caller calls over when
// it has. With --json nothing is said.
func (s *session) waitsFor(server string) (over func()) {
	what := fmt.Sprintf("waiting for %s to start…", safetext.Line(strconv.Quote(server), math.MaxInt))
	switch {
	case s.json:
		return func() {}
	case s.terminal != nil:
		return s.terminal.busy(what)
	}
	timer := time.AfterFunc(slowStart, func() { fmt.Fprintln(s.stderr, what) })
	return func() { timer.Stop() }
}

// follow calls show, and where a flag is on again whenever there is something in again, until ctx ends or the daemon has
// gone.
func follow[T any](ctx context.Context, on bool, again <-chan T, gone <-chan struct{}, show func() error) error {
	for {
		if err := show(); err != nil || !on {
			return err
		}
		select {
		case <-again:
		case <-gone:
			return editorapi.ErrDaemonGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
