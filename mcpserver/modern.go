package mcpserver

import (
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// discover serves server/discover: "The server replies with its supported protocol versions,
// capabilities, and identity. This operation supports caching" (MCP 2026-07-28, Discovery).
func (s *session) discover(c *call) (json.RawMessage, error) {
	known := s.shelf.hello(c.ctx)
	versions, _ := json.Marshal(modernVersions()) // strings
	result := completed(json.RawMessage("{}"))
	result = rawjson.Set(result, "supportedVersions", versions)
	result = rawjson.Set(result, "capabilities", known.capabilities())
	result = s.signed(uncached(result), known)
	return instructed(result, known), nil
}
