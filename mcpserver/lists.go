package mcpserver

import (
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// listing returns what serves one of the lists, all of it in one page.
func listing(kind listKind) func(*session, *call) (json.RawMessage, error) {
	return func(s *session, c *call) (json.RawMessage, error) {
		// "Invalid cursors SHOULD result in an error with code -32602 (Invalid params)" (MCP 2025-11-25,
		// Pagination): we have given none.
		if !rawjson.IsAbsent(rawjson.Get(c.params, "cursor")) {
			return nil, wire.RPCErrorf(wire.CodeInvalidParams, "the cursor is not valid: the list comes in one page")
		}
		known := s.shelf.list(c.ctx, kind)
		result := rawjson.Set(nil, string(kind), array(known.list(kind)))
		if c.modern {
			result = s.signed(uncached(completed(result)), known)
		}
		return result, nil
	}
}

// array returns a JSON array of values.
func array(values []json.RawMessage) json.RawMessage {
	size := len("[]")
	for _, v := range values {
		size += len(v) + len(",")
	}
	b := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// signed adds who made a result: "Servers SHOULD include the following io.modelcontextprotocol/* field in
// every result's _meta" (MCP 2026-07-28, Overview, Per-response protocol fields).
func (s *session) signed(result json.RawMessage, known *catalog) json.RawMessage {
	return rawjson.SetPath(result, s.info(known), "_meta", wire.MetaServerInfo)
}

// info returns MCP's Implementation: that of the one server where there is but one, else our own.
func (s *session) info(known *catalog) json.RawMessage {
	if info := known.info(); rawjson.IsObject(info) {
		return info
	}
	info := rawjson.Set(nil, "name", rawjson.Quote("mcp-editord"))
	return rawjson.Set(info, "version", rawjson.Quote(s.o.Version))
}
