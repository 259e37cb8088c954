package editorapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

// lifeCommand returns what runs a command that changes the life of a server. Without a server among
// its arguments it means the only one in the state from, which is to be changed. A plain client does
// not wait: it is shown what came of it.
func lifeCommand(ask func(Attachment, string) Change, from ServerState) runCommand {
	return func(s *session, r *request, p executeParams) (rest func() (any, error)) {
		s.implyServer(&p, from)
		var params ServerParams
		if err := p.read(&params); err != nil {
			return fails(err)
		}
		change := ask(s.attachment, params.Server)
		if !s.plain() {
			return func() (any, error) { return change(r.ctx) }
		}
		title := p.Command + " " + params.Server
		return func() (any, error) {
			return nil, s.background(r, title, func(ctx context.Context, _ func(json.RawMessage)) func() {
				server, err := change(ctx)
				return func() {
					if err != nil {
						s.showFailure(title, err)
					} else {
						s.ShowMessage(SeverityInfo, fmt.Sprintf("Server %q is %s.", server.Name, server.State))
					}
				}
			})
		}
	}
}

// implyServer has a command that names no server mean the only one in a state, such as the one that
// has failed, or else the only one. Some editors run commands without arguments.
func (s *session) implyServer(p *executeParams, state ServerState) {
	argument, err := p.object(0)
	if err != nil || rawjson.Get(argument, "server") != nil {
		return
	}
	servers := s.attachment.Servers()
	meant := slices.DeleteFunc(slices.Clone(servers), func(server Server) bool {
		return server.State != state
	})
	if len(meant) != 1 {
		meant = servers
	}
	if len(meant) == 1 {
		p.Arguments = []json.RawMessage{rawjson.Set(argument, "server", rawjson.Quote(meant[0].Name))}
	}
}

// decisionParams is the argument of editord.allowServer and editord.denyServer.
type decisionParams struct {
	Server string `json:"server"`
	Digest string `json:"digest"` // of what the user looked at: a decision is about nothing else
}

// decides returns what runs editord.allowServer or editord.denyServer.
func decides(decision Decision) func(*session, *request, decisionParams) (any, error) {
	return func(s *session, r *request, p decisionParams) (any, error) {
		about := s
		// The document may have been opened by another client of the same editor.
		for _, other := range s.answers.reviewers(s) {
			if q := other.questionAbout(p.Server); q != nil && q.Digest == p.Digest && !s.client.agent {
				about = other
				break
			}
		}
		server, err := about.attachment.ApproveServer(r.ctx, p.Server, p.Digest, decision)
		if err != nil {
			return nil, err
		}
		if s.plain() {
			said := map[Decision]string{DecisionAllow: "may run", DecisionDeny: "was denied"}[decision]
			s.ShowMessage(SeverityInfo, fmt.Sprintf("Server %q %s.", p.Server, said))
		}
		return server, nil
	}
}

// showApproval runs editord.showApproval: it opens the whole question about a server as a document.
func (s *session) showApproval(r *request, p ServerParams) (any, error) {
	q := s.questionAbout(p.Server)
	if q == nil {
		return nil, &Error{Kind: KindInvalidParams, Server: p.Server, Detail: "server", Message: fmt.Sprintf("nothing about server %q waits for a decision", p.Server)}
	}
	return nil, s.afterwards(r, p.Server, func(ctx context.Context) error { s.review(ctx, *q); return nil })
}

// questionAbout returns the question about a server that waits for a decision, nil when none does.
func (s *session) questionAbout(server string) *ApproveParams {
	for _, known := range s.attachment.Servers() {
		if known.Name == server {
			return cmp.Or(known.Approval, known.Held)
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

// serverLogCommand is the argument of editord.showServerLog. With open it opens the log as a
// document: editors that run a command from a document show nobody its result.
type serverLogCommand struct {
	ServerLogParams
	Open bool `json:"open"`
}

// showServerLog runs editord.showServerLog.
func (s *session) showServerLog(r *request, p executeParams) (rest func() (any, error)) {
	s.implyServer(&p, ServerFailed)
	var params serverLogCommand
	if err := p.read(&params); err != nil {
		return fails(err)
	}
	read := s.serverLog(r, params.ServerLogParams)
	return func() (any, error) {
		log, err := read()
		if err != nil {
			return nil, err
		}
		text := "The log is empty."
		switch {
		case len(log.Entries) > 0:
			text = log.Entries[len(log.Entries)-1].Text
		case len(log.Lines) > 0 && params.Open:
			text = strings.Join(log.Lines, "\n")
		case len(log.Lines) > 0:
			text = log.Lines[len(log.Lines)-1]
		}
		if params.Open {
			return nil, s.afterwards(r, params.Server, func(ctx context.Context) error {
				s.openText(ctx, "log of "+params.Server+".txt", safetext.Block(text)+"\n", false)
				return nil
			})
		}
		if s.plain() {
			s.ShowMessage(SeverityInfo, text)
		}
		return log, nil
	}
}
