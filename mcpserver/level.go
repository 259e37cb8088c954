package mcpserver

import (
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// A level of log messages, from 1 (debug) to 8 (emergency); MCP has those of RFC 5424.
type level int

// noLevel is that of who asked for none.
const noLevel level = 0

// parseLevel returns the level that value spells in JSON, noLevel for anything else.
func parseLevel(value json.RawMessage) level {
	name, _ := rawjson.Text(value)
	return level(slices.Index([]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, name) + 1)
}

// takes reports whether a message of level m is wanted.
func (l level) takes(m level) bool { return l != noLevel && m >= l }
