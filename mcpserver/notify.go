package mcpserver

import (
	"strings"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// relayed passes on a notification of a server, as far as the agent wants it. It does not wait.
func (s *session) relayed(method string, n editorapi.MCPNotification) {
	if method == wire.MethodProgress {
		s.progressed(n.Params)
		return
	}
	if !s.serves(n.Server) {
		return
	}
	switch method {
	case wire.MethodMessage:
		s.logged(n)
	case wire.MethodUpdated:
		s.updated(n)
	case wire.MethodToolsChanged, wire.MethodPromptsChanged, wire.MethodResourcesChanged, wire.MethodCancelled:
		// The daemon reads the lists again, and then says so. Who gives one server gets all that it says.
		if s.single() != "" {
			s.shelf.announce(method)
		}
	case wire.MethodElicited:
		// "Remove the notifications/elicitation/complete notification" (MCP 2026-07-28, Key Changes).
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.legacy.ready() {
			s.out.tell(&wire.Request{Method: method, Params: n.Params})
		}
	default:
		if s.single() != "" && strings.HasPrefix(method, "notifications/") {
			s.out.tell(&wire.Request{Method: method, Params: n.Params})
		}
	}
}

// logged passes on notifications/message at or above the level that the agent asked for. Before it asks,
// "the server MAY decide which messages to send automatically" (MCP 2025-11-25, Logging): all that come.
// In the modern era, "the server MUST NOT emit notifications/message for a request that does not include
// this field" (MCP 2026-07-28, Logging), and the message must come of a request under way.
func (s *session) logged(n editorapi.MCPNotification) {
	of := parseLevel(rawjson.Get(n.Params, "level"))
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := s.legacy.ready() && (s.legacy.level == noLevel || s.legacy.level.takes(of))
	if !wanted {
		for _, c := range s.calls {
			wanted = wanted || c.modern && c.server == n.Server && c.stamp.level.takes(of)
		}
	}
	if wanted {
		s.out.tell(&wire.Request{Method: wire.MethodMessage, Params: n.Params})
	}
}
