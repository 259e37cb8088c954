package mcpserver

import (
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A method is a request that agents may send, in one era or both.
type method struct {
	legacy, modern bool
	serve          func(s *session, c *call) (json.RawMessage, error)
}

// methods returns what is served here. initialize and subscriptions/listen are apart, and so is what only a server given with
// --server alone can know.
func methods() map[string]method {
	both := func(serve func(*session, *call) (json.RawMessage, error)) method { return method{true, true, serve} }
	// "Remove ping, logging/setLevel" and "resources/subscribe / resources/unsubscribe" (MCP 2026-07-28,
	// Key Changes).
	legacy := func(serve func(*session, *call) (json.RawMessage, error)) method { return method{true, false, serve} }
	modern := func(serve func(*session, *call) (json.RawMessage, error)) method { return method{false, true, serve} }
	return map[string]method{
		wire.MethodPing:          legacy((*session).ping),
		wire.MethodSetLevel:      legacy((*session).setLevel),
		wire.MethodSubscribe:     legacy((*session).subscribe),
		wire.MethodUnsubscribe:   legacy((*session).unsubscribe),
		wire.MethodInitialize:    legacy(nil), // see session.initialize
		wire.MethodListen:        modern(nil), // see session.beginListen
		wire.MethodDiscover:      modern((*session).discover),
		wire.MethodListTools:     both(listing(listTools)),
		wire.MethodListPrompts:   both(listing(listPrompts)),
		wire.MethodListResources: both(listing(listResources)),
		wire.MethodListTemplates: both(listing(listTemplates)),
		wire.MethodCallTool:      both((*session).callTool),
		wire.MethodGetPrompt:     both((*session).getPrompt),
		wire.MethodReadResource:  both((*session).readResource),
		wire.MethodComplete:      both((*session).complete),
	}
}

// serve serves a call.
func (s *session) serve(c *call) (json.RawMessage, error) {
	m, known := s.methods[c.method]
	switch {
	case known && (c.modern && m.modern || !c.modern && m.legacy):
		return m.serve(s, c)
	case !known && s.single() != "":
		// Tasks and extensions: whoever gives one server stands for all that it can.
		return s.pass(c, s.single(), c.params)
	default:
		return nil, wire.RPCErrorf(wire.CodeMethodNotFound, "Method not found: %.100q", c.method)
	}
}

// single returns the one server of --server, "" when there are more.
func (s *session) single() string {
	if len(s.o.Servers) == 1 {
		return s.o.Servers[0]
	}
	return ""
}

// ping serves ping: "The receiver MUST respond promptly with an empty response" (MCP 2025-11-25, Ping).
func (s *session) ping(*call) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
