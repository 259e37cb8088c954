package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// The commands that change the life of a server, and those that decide whether it may run. A configuration
// file offers them beside its servers.
const (
	commandStartServer   = "editord.startServer"
	commandStopServer    = "editord.stopServer"
	commandRestartServer = "editord.restartServer"
	commandSignIn        = "editord.signIn"
	commandSignOut       = "editord.signOut"
	commandAllowServer   = "editord.allowServer"
	commandDenyServer    = "editord.denyServer"
	commandShowApproval  = "editord.showApproval"
)

func serverCommands() []string {
	return []string{
		commandStartServer, commandStopServer, commandRestartServer, commandSignIn, commandSignOut,
		commandAllowServer, commandDenyServer, commandShowApproval,
	}
}

// A lifeCommand is a command that changes the life of a server.
type lifeCommand struct {
	change func(*session, ServerParams) Change
	from   ServerState // of the server that the command means when it names none
}

// lifeCommandOf returns a command by its id; ok is false for all other commands.
func lifeCommandOf(id string) (command lifeCommand, ok bool) {
	switch id {
	case commandStartServer:
		return lifeCommand{changeBy(Attachment.StartServer), ServerStopped}, true
	case commandStopServer:
		return lifeCommand{changeBy(Attachment.StopServer), ServerReady}, true
	case commandRestartServer:
		return lifeCommand{changeBy(Attachment.RestartServer), ServerFailed}, true
	case commandSignIn:
		return lifeCommand{changeBy(Attachment.SignIn), ServerNeedsSignIn}, true
	case commandSignOut:
		return lifeCommand{changeBy(Attachment.SignOut), ""}, true
	}
	return lifeCommand{}, false
}

// decisionParams is the argument of editord.allowServer and editord.denyServer.
type decisionParams struct {
	Server string `json:"server"`
	Digest string `json:"digest"` // of what the user looked at: a decision is about nothing else
}

// decide runs editord.allowServer or editord.denyServer.
func (s *session) decide(r *request, arguments json.RawMessage, decision Decision) (any, error) {
	var p decisionParams
	if err := decode(arguments, &p, argumentName(0)); err != nil {
		return nil, err
	}
	about := s
	for _, other := range s.answers.reviewers(s) { // the document may have been opened by another client of the same editor
		if q := other.questionAbout(p.Server); q != nil && q.Digest == p.Digest && !s.client.agent {
			about = other
			break
		}
	}
	server, err := about.approveServer(r, ApproveServerParams{p.Server, p.Digest, decision})
	if err != nil {
		return nil, err
	}
	if s.plain() {
		s.ShowMessage(SeverityInfo, decided(p.Server, decision))
	}
	return server, nil
}

// decided says what was decided.
func decided(server string, decision Decision) string {
	if decision == DecisionAllow {
		return fmt.Sprintf("Server %q may run.", server)
	}
	return fmt.Sprintf("Server %q was denied.", server)
}

// showApproval runs editord.showApproval: it opens the whole question about a server as a document.
func (s *session) showApproval(r *request, arguments json.RawMessage) (any, error) {
	var p ServerParams
	if err := decode(arguments, &p, argumentName(0)); err != nil {
		return nil, err
	}
	if err := requireServer(p.Server); err != nil {
		return nil, err
	}
	q := s.questionAbout(p.Server)
	if q == nil {
		return nil, &Error{Kind: KindInvalidParams, Server: p.Server, Detail: "server", Message: fmt.Sprintf("nothing about server %q waits for a decision", p.Server)}
	}
	return nil, s.afterwards(r, p.Server, func(ctx context.Context) error { s.review(ctx, *q); return nil })
}

// questionAbout returns the question about a server that waits for a decision, nil when none does.
func (s *session) questionAbout(server string) *ApproveParams {
	for _, known := range s.attachment.Servers() {
		switch {
		case known.Name != server:
		case known.Approval != nil:
			return known.Approval
		default:
			return known.Held
		}
	}
	return nil
}

// review opens a question as a document, which offers what can be decided. No box asks beside it: some editors
// show the box first, and the document only when the box has gone.
func (s *session) review(ctx context.Context, q ApproveParams) {
	s.answers.reviews(s)
	shown := s.openText(ctx, "approval of "+q.Server+".mcp", questionDocument(q), false)
	switch command := AllowCommand(q.Server); {
	case !shown:
		s.ShowMessage(SeverityInfo, fmt.Sprintf("To decide on server %q, run in its folder: %s", q.Server, command))
	case s.plain():
		s.ShowMessage(SeverityInfo, fmt.Sprintf("Decide on server %q with a code action in the document that was opened, or run in its folder: %s", q.Server, command))
	}
}

// serverLogCommand is the argument of editord.showServerLog where it opens the log as a document. Editors
// that run a command from a document show nobody its result.
type serverLogCommand struct {
	Server string `json:"server"`
	Open   bool   `json:"open"`
}

// openServerLog opens the end of the log of a server as a document.
func (s *session) openServerLog(r *request) (any, error) {
	result, err := noteHandlers[methodServerLog.name](s, r)()
	if err != nil {
		return nil, err
	}
	server := rawjson.String(r.params, "server")
	text := strings.Join(result.(ServerLogResult).Lines, "\n")
	if text == "" {
		text = "The log is empty."
	}
	return nil, s.afterwards(r, server, func(ctx context.Context) error {
		s.openText(ctx, "log of "+server+".txt", safetext.Block(text)+"\n", false)
		return nil
	})
}
