package editorapi

// defaultLogLines and maxLogLines bound what editord/serverLog returns.
const (
	defaultLogLines = 200
	maxLogLines     = 10_000
)

// serverParams is the params of requests about one server.
type serverParams struct {
	Server string `json:"server"`
}

func readServer(r *request) (string, error) {
	var p serverParams
	if err := decode(r.params, &p, ""); err != nil {
		return "", err
	}
	return p.Server, requireServer(p.Server)
}

func requireServer(name string) error {
	if name == "" {
		return errorf(KindInvalidParams, "server", "the member server is missing; name the server that is meant")
	}
	return nil
}

// servers serves editord/servers.
func (s *session) servers(*request) (any, error) {
	return struct {
		Servers []Server `json:"servers"`
	}{s.attachment.Servers()}, nil
}

// changeServer serves editord/startServer, stopServer and restartServer, which change asks of the
// attachment. It is called in the order of the wire.
func changeServer(r *request, change func(server string) Change) func() (any, error) {
	server, err := readServer(r)
	if err != nil {
		return func() (any, error) { return nil, err }
	}
	wait := change(server)
	return func() (any, error) { return wait(r.ctx) }
}

// muteServer serves editord/muteServer. It is called in the order of the wire.
func (s *session) muteServer(r *request) func() (any, error) {
	var p struct {
		Muted *bool `json:"muted"`
	}
	if err := decode(r.params, &p, ""); err != nil {
		return func() (any, error) { return nil, err }
	}
	return changeServer(r, func(server string) Change {
		return s.attachment.MuteServer(server, p.Muted == nil || *p.Muted)
	})
}

// signIn serves editord/signIn and editord/signOut.
func (s *session) signIn(r *request) (any, error) {
	server, err := readServer(r)
	if err != nil {
		return nil, err
	}
	return nil, &Error{
		Kind: KindCapabilityNotSupported, Server: server, Detail: r.method,
		Message: "signing in is not available in this version; give the server a token in its headers",
	}
}

// serverLog serves editord/serverLog.
func (s *session) serverLog(r *request) (any, error) {
	var p struct {
		serverParams
		Lines *int `json:"lines"`
	}
	if err := decode(r.params, &p, ""); err != nil {
		return nil, err
	}
	if err := requireServer(p.Server); err != nil {
		return nil, err
	}
	count := defaultLogLines
	if p.Lines != nil {
		if count = *p.Lines; count < 1 || count > maxLogLines {
			return nil, errorf(KindInvalidParams, "lines", "the member lines is not between 1 and %d; correct it or leave it out", maxLogLines)
		}
	}
	lines, err := s.attachment.ServerLog(p.Server, count)
	if err != nil {
		return nil, err
	}
	return logLines{lines}, nil
}

// logLines is the result of editord/serverLog.
type logLines struct {
	Lines []string `json:"lines"`
}

// status serves editord/status.
func (s *session) status(*request) (any, error) { return s.attachment.Status(), nil }
