package editorapi

import (
	"context"
	"strings"
)

// defaultLogLines and maxLogLines bound what editord/serverLog returns.
const (
	defaultLogLines = 200
	maxLogLines     = 10_000
)

func requireServer(name string) error {
	if name == "" {
		return invalidMember("server", "is missing; name a server")
	}
	return nil
}

// servers serves editord/servers.
func (s *session) servers(*request, Nothing) (ServersResult, error) {
	return ServersResult{s.attachment.Servers()}, nil
}

// changeBy returns what serves a method that has a server changed.
func changeBy(ask func(Attachment, string) Change) func(*session, ServerParams) Change {
	return func(s *session, p ServerParams) Change {
		return changeOf(p.Server, func(server string) Change { return ask(s.attachment, server) })
	}
}

// muteServer serves editord/muteServer.
func (s *session) muteServer(p MuteParams) Change {
	return changeOf(p.Server, func(server string) Change {
		return s.attachment.MuteServer(server, p.Muted == nil || *p.Muted)
	})
}

// changeOf asks for a change of the named server.
func changeOf(server string, ask func(server string) Change) Change {
	if err := requireServer(server); err != nil {
		return func(context.Context) (Server, error) { return Server{}, err }
	}
	return ask(server)
}

// finishSignIn serves editord/finishSignIn.
func (s *session) finishSignIn(_ *request, p FinishSignInParams) (Nothing, error) {
	if err := requireServer(p.Server); err != nil {
		return Nothing{}, err
	}
	if strings.TrimSpace(p.Response) == "" {
		return Nothing{}, invalidMember("response", "is missing; paste the whole address that the browser ended on")
	}
	return Nothing{}, s.attachment.FinishSignIn(p.Server, p.Response)
}

// serverLog serves editord/serverLog.
func (s *session) serverLog(r *request, p ServerLogParams) (rest func() (ServerLogResult, error)) {
	refuse := func(err error) func() (ServerLogResult, error) {
		return func() (ServerLogResult, error) { return ServerLogResult{}, err }
	}
	if err := requireServer(p.Server); err != nil {
		return refuse(err)
	}
	count := defaultLogLines
	if p.Lines != nil {
		if count = *p.Lines; count < 1 || count > maxLogLines {
			return refuse(invalidMember("lines", "is not between 1 and %d; correct it or leave it out", maxLogLines))
		}
	}
	p.Lines = &count
	read := s.attachment.ServerLog(p, r.answered)
	return func() (ServerLogResult, error) { return read(r.ctx) }
}

// status serves editord/status.
func (s *session) status(*request, Nothing) (Status, error) { return s.attachment.Status(), nil }
