package editorapi

// defaultLogLines and maxLogLines bound what editord/serverLog returns.
const (
	defaultLogLines = 200
	maxLogLines     = 10_000
)

// servers serves editord/servers.
func (s *session) servers(*request, Nothing) (ServersResult, error) {
	return ServersResult{s.attachment.Servers()}, nil
}

// ofServer returns what changes the server that params name.
func ofServer(ask func(Attachment, string) Change) func(Attachment, ServerParams) Change {
	return func(a Attachment, p ServerParams) Change { return ask(a, p.Server) }
}

// muteServer serves editord/muteServer.
func muteServer(a Attachment, p MuteParams) Change {
	return a.MuteServer(p.Server, p.Muted == nil || *p.Muted)
}

// finishSignIn serves editord/finishSignIn.
func (s *session) finishSignIn(_ *request, p FinishSignInParams) (Nothing, error) {
	return Nothing{}, s.attachment.FinishSignIn(p.Server, p.Response)
}

// serverLog serves editord/serverLog.
func (s *session) serverLog(r *request, p ServerLogParams) (rest func() (ServerLogResult, error)) {
	count := defaultLogLines
	if p.Lines != nil {
		count = *p.Lines
	}
	if count < 1 || count > maxLogLines {
		err := invalidMember("lines", "is not between 1 and %d; correct it or leave it out", maxLogLines)
		return func() (ServerLogResult, error) { return ServerLogResult{}, err }
	}
	p.Lines = &count
	read := s.attachment.ServerLog(p, r.answered)
	return func() (ServerLogResult, error) { return read(r.ctx) }
}

// status serves editord/status.
func (s *session) status(*request, Nothing) (Status, error) { return s.attachment.Status(), nil }
