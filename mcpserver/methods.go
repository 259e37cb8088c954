package mcpserver

import (
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
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
	// "Remove ping, logging/setLevel" and "resources/subscribe / resources/unsubscribe" (MCP 2026-07-28,
	// Key Changes).
	return map[string]method{
		wire.MethodPing:          {legacy: true, serve: (*session).ping},
		wire.MethodSetLevel:      {legacy: true, serve: (*session).setLevel},
		wire.MethodSubscribe:     {legacy: true, serve: (*session).subscribe},
		wire.MethodUnsubscribe:   {legacy: true, serve: (*session).unsubscribe},
		wire.MethodInitialize:    {}, // see session.initialize
		wire.MethodListen:        {}, // see session.beginListen
		wire.MethodDiscover:      {modern: true, serve: (*session).discover},
		wire.MethodListTools:     {true, true, listing(wire.ListTools)},
		wire.MethodListPrompts:   {true, true, listing(wire.ListPrompts)},
		wire.MethodListResources: {true, true, listing(wire.ListResources)},
		wire.MethodListTemplates: {true, true, listing(wire.ListResourceTemplates)},
		wire.MethodCallTool:      {true, true, (*session).callTool},
		wire.MethodGetPrompt:     {true, true, (*session).getPrompt},
		wire.MethodReadResource:  {true, true, (*session).readResource},
		wire.MethodComplete:      {true, true, (*session).complete},
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

// listing returns what serves one of the lists, all of it in one page.
func listing(kind wire.ListKind) func(*session, *call) (json.RawMessage, error) {
	return func(s *session, c *call) (json.RawMessage, error) {
		// "Invalid cursors SHOULD result in an error with code -32602 (Invalid params)" (MCP 2025-11-25,
		// Pagination): we have given none.
		if !rawjson.IsAbsent(rawjson.Get(c.params, "cursor")) {
			return nil, wire.RPCErrorf(wire.CodeInvalidParams, "the cursor is not valid: the list comes in one page")
		}
		known := s.shelf.list(c.ctx, kind)
		result := rawjson.Set(nil, string(kind), rawjson.Array(known.lists[kind]))
		if c.modern {
			result = s.signed(uncached(completed(result)), known)
		}
		return result, nil
	}
}

// signed adds who made a result: "Servers SHOULD include the following io.modelcontextprotocol/* field in
// every result's _meta" (MCP 2026-07-28, Overview, Per-response protocol fields).
func (s *session) signed(result json.RawMessage, known *catalog) json.RawMessage {
	return rawjson.SetPath(result, s.info(known), "_meta", wire.MetaServerInfo)
}

// info returns MCP's Implementation: that of the one server where there is but one, else our own.
func (s *session) info(known *catalog) json.RawMessage {
	if one := known.one(); one != nil && rawjson.IsObject(one.Server.ServerInfo) {
		return one.Server.ServerInfo
	}
	info := rawjson.Set(nil, "name", rawjson.Quote("mcp-editord"))
	return rawjson.Set(info, "version", rawjson.Quote(s.o.Version))
}

// discover serves server/discover: "The server replies with its supported protocol versions,
// capabilities, and identity. This operation supports caching" (MCP 2026-07-28, Discovery).
func (s *session) discover(c *call) (json.RawMessage, error) {
	known := s.shelf.hello(c.ctx)
	versions, _ := json.Marshal(modernVersions()) // strings
	result := completed(nil)
	result = rawjson.Set(result, "supportedVersions", versions)
	result = rawjson.Set(result, "capabilities", known.capabilities())
	result = s.signed(uncached(result), known)
	return instructed(result, known), nil
}
