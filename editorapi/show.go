package editorapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// Limits of what is shown in a message box, in characters.
const (
	maxShown     = 500
	maxShownLine = 1000
)

// daemonCommand runs one of the daemon's own commands that change nothing. Its arguments are the
// params of r. An editor that did not declare experimental.mcp would show nobody the result, so it
// is also shown as a message.
func (s *session) daemonCommand(r *request, command string) (any, error) {
	var result any
	var text string
	var err error
	switch command {
	case commandShowStatus:
		status := s.attachment.Status()
		result, text = status, statusLine(status, s.attachment.Servers())
	case commandShowServerLog:
		s.implyServer(r)
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
	s.showCommand(text)
	return result, nil
}

// restartCommand runs editord.restartServer. It is called in the order of the wire.
func (s *session) restartCommand(r *request) func() (any, error) {
	var p executeParams
	err := decode(r.params, &p, "")
	if err == nil {
		s.attachment.Used()
		r.params, err = p.object(0)
	}
	if err != nil {
		return func() (any, error) { return nil, err }
	}
	s.implyServer(r)
	restart := noteHandlers[methodRestartServer.name](s, r)
	return func() (any, error) {
		result, err := restart()
		if server, ok := result.(Server); ok && err == nil {
			s.showCommand(fmt.Sprintf("Server %q is %s.", server.Name, server.State))
		}
		return result, err
	}
}

// showCommand shows the outcome of a command in an editor that would show nobody its result.
func (s *session) showCommand(text string) {
	if !s.client.mcp.MCP {
		s.ShowMessage(SeverityInfo, text)
	}
}

// implyServer adds the implied server to params that name none.
func (s *session) implyServer(r *request) {
	if rawjson.Get(r.params, "server") == nil {
		if server := s.impliedServer(); server != "" {
			r.params = rawjson.Set(r.params, "server", rawjson.Quote(server))
		}
	}
}

// impliedServer is the server that a command without one means: the one that has failed, or else
// the only one. Some editors run commands without arguments.
func (s *session) impliedServer() string {
	servers := s.attachment.Servers()
	failed := slices.DeleteFunc(slices.Clone(servers), func(server Server) bool { return server.State != ServerFailed })
	switch {
	case len(failed) == 1:
		return failed[0].Name
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

// showResult shows the beginning of the text of a result in an editor that did not declare
// experimental.mcp.
func (s *session) showResult(c *command, result json.RawMessage) {
	if s.client.mcp.MCP {
		return
	}
	text := resultText(result)
	if text == "" {
		return
	}
	severity := SeverityInfo
	if isTrue(result, "isError") {
		severity = SeverityError
	}
	s.show(severity, safetext.Line(c.name, maxCommandPart)+": "+text)
}

// resultText joins the texts of a CallToolResult (content) or of a GetPromptResult
// (messages[].content), made safe to show and cut to maxShown characters.
func resultText(result json.RawMessage) string {
	var texts []string
	add := func(content []byte) {
		if rawjson.String(content, "type") == "text" {
			texts = append(texts, rawjson.String(content, "text"))
		}
	}
	for content := range rawjson.Elements(rawjson.Get(result, "content")) {
		add(content)
	}
	for message := range rawjson.Elements(rawjson.Get(result, "messages")) {
		add(rawjson.Get(message, "content"))
	}
	text := strings.Join(texts, "\n")
	if utf8.RuneCountInString(text) > maxShown { // before the escapes, which may be many
		text = string([]rune(text)[:maxShown])
	}
	text = strings.TrimSpace(safetext.Block(text))
	if runes := []rune(text); len(runes) >= maxShown {
		text = string(runes[:maxShown-1]) + "…"
	}
	return text
}
