package mcpserver

import (
	"slices"
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
		if s.ready() {
			s.out.tell(&wire.Request{Method: method, Params: n.Params})
		}
	default:
		if s.single() != "" && strings.HasPrefix(method, "notifications/") {
			s.out.tell(&wire.Request{Method: method, Params: n.Params})
		}
	}
}

// ready reports whether an agent of the legacy era can be told something.
func (s *session) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.legacy != nil && s.legacy.ready
}

// logged passes on notifications/message at or above the level that the agent asked for. Before it asks,
// "the server MAY decide which messages to send automatically" (MCP 2025-11-25, Logging): all that come.
// In the modern era, "the server MUST NOT emit notifications/message for a request that does not include
// this field" (MCP 2026-07-28, Logging), and the message must come of a request under way.
func (s *session) logged(n editorapi.MCPNotification) {
	of := parseLevel(rawjson.Get(n.Params, "level"))
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := s.legacy != nil && s.legacy.ready && (s.legacy.level == noLevel || s.legacy.level.takes(of))
	if !wanted {
		for _, c := range s.calls {
			wanted = wanted || c.modern && c.server == n.Server && c.stamp.level.takes(of)
		}
	}
	if wanted {
		s.out.tell(&wire.Request{Method: wire.MethodMessage, Params: n.Params})
	}
}

// listening reports whether the agent can be told of changes of lists.
func (s *session) listening() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listens {
		if l.acknowledged && len(l.lists) > 0 {
			return true
		}
	}
	return false
}

// changed returns the notification that a list has changed. Templates have none of their own.
func (kind listKind) changed() string {
	switch kind {
	case listTools:
		return wire.MethodToolsChanged
	case listPrompts:
		return wire.MethodPromptsChanged
	default:
		return wire.MethodResourcesChanged
	}
}

// tellChanged tells the agent which lists have changed: one of the legacy era of all of them, one of the
// modern era of those it wants to hear of: "The server MUST NOT send notification types the client has
// not explicitly requested" (MCP 2026-07-28, Subscriptions).
func (s *session) tellChanged(kinds []listKind) {
	var methods []string
	for _, kind := range kinds {
		if method := kind.changed(); !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, method := range methods {
		for _, l := range s.listens {
			if l.acknowledged && l.lists[method] {
				s.out.send(&wire.Request{Method: method, Params: l.marked(nil)})
			}
		}
	}
}
