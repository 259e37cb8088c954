package editorapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// What a message shows. A result that is longer is a document of its own.
const (
	maxShown      = 300 // characters of a result
	maxShownLines = 3
	maxShownLine  = 1000 // characters of what the daemon says itself
)

// showStatus runs editord.showStatus. A plain client would show nobody the result, so it is also
// shown as a message.
func (s *session) showStatus(*request, Nothing) (any, error) {
	status := s.attachment.Status()
	if s.plain() {
		s.ShowMessage(SeverityInfo, statusLine(status, s.attachment.Servers()))
	}
	return status, nil
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
