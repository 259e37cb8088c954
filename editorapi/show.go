package editorapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// What a message shows. A result that is longer is a document of its own.
const (
	maxShown      = 300 // characters of a result
	maxShownLines = 3
	maxShownLine  = 1000 // characters of what the daemon says itself
)

// daemonCommand runs one of the daemon's own commands that change nothing. Its arguments are the
// params of r. A plain client would show nobody the result, so it is also shown as a message.
func (s *session) daemonCommand(r *request, command string) (any, error) {
	var result any
	var text string
	var err error
	switch command {
	case commandShowStatus:
		status := s.attachment.Status()
		result, text = status, statusLine(status, s.attachment.Servers())
	case commandShowServerLog:
		s.implyServer(r, ServerFailed)
		if isTrue(r.params, "open") {
			return s.openServerLog(r)
		}
		if result, err = noteHandlers[methodServerLog.name](s, r)(); err == nil {
			text = "The log is empty."
			switch log := result.(ServerLogResult); {
			case len(log.Lines) > 0:
				text = log.Lines[len(log.Lines)-1]
			case len(log.Entries) > 0:
				text = log.Entries[len(log.Entries)-1].Text
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if s.plain() {
		s.ShowMessage(SeverityInfo, text)
	}
	return result, nil
}

// changeCommand runs a command of the daemon's that changes the life of a server. Without a server among its
// arguments it means the only one in the state that is to be changed. It is called in the order of the wire.
// A plain client does not wait: it is shown what came of it.
func (s *session) changeCommand(r *request, change func(*session, ServerParams) Change, from ServerState) func() (any, error) {
	var p executeParams
	var params ServerParams
	err := decode(r.params, &p, "")
	if err == nil {
		s.attachment.Used()
		r.params, err = p.object(0)
	}
	if err == nil {
		s.implyServer(r, from)
		err = decode(r.params, &params, argumentName(0))
	}
	if err == nil {
		err = requireServer(params.Server)
	}
	if err != nil {
		return func() (any, error) { return nil, err }
	}
	wait := change(s, params)
	if !s.plain() {
		return func() (any, error) { return wait(r.ctx) }
	}
	return func() (any, error) {
		return nil, s.background(r, p.Command+" "+params.Server, func(ctx context.Context, _ func(json.RawMessage)) func() {
			server, err := wait(ctx)
			return func() {
				if err != nil {
					s.showFailure(p.Command+" "+params.Server, err)
				} else {
					s.ShowMessage(SeverityInfo, fmt.Sprintf("Server %q is %s.", server.Name, server.State))
				}
			}
		})
	}
}

// implyServer adds the implied server to params that name none.
func (s *session) implyServer(r *request, state ServerState) {
	if rawjson.Get(r.params, "server") == nil {
		if server := s.impliedServer(state); server != "" {
			r.params = rawjson.Set(r.params, "server", rawjson.Quote(server))
		}
	}
}

// impliedServer is the server that a command without one means: the only one in a state, such as the one
// that has failed, or else the only one. Some editors run commands without arguments.
func (s *session) impliedServer(state ServerState) string {
	servers := s.attachment.Servers()
	meant := slices.DeleteFunc(slices.Clone(servers), func(server Server) bool { return server.State != state })
	switch {
	case len(meant) == 1:
		return meant[0].Name
	case len(servers) == 1:
		return servers[0].Name
	}
	return ""
}

func statusLine(status Status, servers []Server) string {
	states := make([]string, len(servers))
	for i, server := range servers {
		states[i] = server.Name + " " + string(server.State)
	}
	if len(states) == 0 {
		states = []string{"no servers"}
	}
	return "mcp-editord " + status.Version + ": " + strings.Join(states, ", ") + "."
}

// showResult shows the result of a request: a short one as a message, a long one as a document.
func (s *session) showResult(ctx context.Context, call Call, subject string, result json.RawMessage) {
	long := ""
	shown := calldoc.Render(call.Method, result, func(name string, data []byte) (string, error) {
		if name == calldoc.KeptText {
			long = string(data)
			return "", errors.New("it is in a document of its own")
		}
		return s.keepResult(name, data)
	})
	severity := SeverityInfo
	if shown.Failed {
		severity = SeverityError
	}
	name := safetext.Line(subject, maxCommandPart)
	text := strings.TrimSpace(shown.Text)
	switch {
	case text == "" && severity == SeverityInfo:
		s.show(severity, name+" is done; its result is empty.")
	case text == "":
		s.show(severity, name+" failed, and does not say why.")
	case isShort(text):
		s.show(severity, name+": "+text)
	default:
		if severity == SeverityError {
			s.show(severity, name+": "+beginning(text))
		}
		s.openText(ctx, call.Server+"."+subject, cmp.Or(long, shown.Text), false)
	}
}

// showFailure shows the error of a command, or of its work: what was to be done, and what happened instead.
func (s *session) showFailure(subject string, err error) {
	err = peerError(err, s.peer.log)
	severity := SeverityError
	if own, ok := errors.AsType[*Error](err); ok && own.Kind == KindCancelled {
		severity = SeverityInfo
	}
	s.ShowMessage(severity, subject+": "+err.Error())
}

// isShort reports whether a text fits into a message.
func isShort(text string) bool {
	return len(text) <= utf8.UTFMax*maxShown && utf8.RuneCountInString(text) <= maxShown && strings.Count(text, "\n") < maxShownLines
}

// beginning returns the first line of a text, cut to what fits into a message.
func beginning(text string) string {
	line, _, more := strings.Cut(text, "\n")
	line = safetext.Line(line, maxShown)
	if more && !strings.HasSuffix(line, "…") {
		line += " …"
	}
	return line
}
