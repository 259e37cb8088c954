package mcpserver

import (
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// "Modern: protocol versions that convey version, identity, and capabilities as per-request metadata
// (revision 2026-07-28 and later). Legacy: protocol versions that establish a session with an initialize
// handshake" (MCP 2026-07-28, Versioning, Terminology). The newest comes first.
func modernVersions() []string { return []string{wire.Version20260728} }

func legacyVersions() []string {
	return []string{wire.Version20251125, wire.Version20250618, wire.Version20250326, wire.Version20241105}
}

// negotiate returns the version that initialize agrees on: "If the server supports the requested
// protocol version, it MUST respond with the same version. Otherwise, the server MUST respond with
// another protocol version it supports. This SHOULD be the latest version supported by the server"
// (MCP 2025-11-25, Lifecycle, Version Negotiation).
func negotiate(requested string) string {
	if versions := legacyVersions(); !slices.Contains(versions, requested) {
		return versions[0]
	}
	return requested
}

// A stamp is what a request of the modern era says of itself.
type stamp struct {
	info         json.RawMessage // MCP's Implementation, nil when absent
	capabilities json.RawMessage // MCP's ClientCapabilities
	level        level           // that the agent wants messages from; none for no messages
}

// readStamp returns the stamp of a request of the modern era. Without a version among its members of
// _meta, the request belongs to the legacy era: then modern is false.
func readStamp(params json.RawMessage) (s stamp, modern bool, refusal *wire.Error) {
	meta := rawjson.Get(params, "_meta")
	version := rawjson.Get(meta, wire.MetaVersion)
	if version == nil {
		return stamp{}, false, nil
	}
	requested, ok := rawjson.Text(version)
	if !ok {
		return stamp{}, true, wire.RPCErrorf(wire.CodeInvalidParams, "%s is not a string", wire.MetaVersion)
	}
	if !slices.Contains(modernVersions(), requested) {
		return stamp{}, true, unsupported(requested)
	}
	// "A request missing any required field is malformed; the server MUST reject it with JSON-RPC
	// error code -32602 (Invalid params)" (MCP 2026-07-28, Overview, Per-request protocol fields).
	s.info, s.capabilities = rawjson.Get(meta, wire.MetaClientInfo), rawjson.Get(meta, wire.MetaCapabilities)
	if !rawjson.IsObject(s.capabilities) {
		return stamp{}, true, wire.RPCErrorf(wire.CodeInvalidParams, "%s is missing in _meta, or not an object", wire.MetaCapabilities)
	}
	if s.info != nil && !rawjson.IsObject(s.info) {
		return stamp{}, true, wire.RPCErrorf(wire.CodeInvalidParams, "%s is not an object", wire.MetaClientInfo)
	}
	// "If the io.modelcontextprotocol/logLevel value carried in a request's _meta is not a recognized
	// log level, the server SHOULD reject that request with […] -32602" (MCP 2026-07-28, Logging).
	if value := rawjson.Get(meta, wire.MetaLogLevel); value != nil {
		if s.level = parseLevel(value); s.level == noLevel {
			return stamp{}, true, wire.RPCErrorf(wire.CodeInvalidParams, "%s is not a log level", wire.MetaLogLevel)
		}
	}
	return s, true, nil
}

// unsupported is the error for a version that is not spoken: "it MUST respond with an
// UnsupportedProtocolVersionError listing the versions it does support" (MCP 2026-07-28, Versioning).
// The list has no versions of the legacy era, in which no request names its version.
func unsupported(requested string) *wire.Error {
	e := wire.RPCErrorf(wire.CodeUnsupportedVersion, "Unsupported protocol version")
	data, _ := json.Marshal(map[string]any{"supported": modernVersions(), "requested": requested}) // strings
	e.Data = data
	return e
}

// unstamp returns the params of a request of the modern era without the members of _meta that are about
// the connection to the agent: a server that saw them would take the request for one of an era that it
// was not asked in. The level stays: it is the caller's.
func unstamp(params json.RawMessage) json.RawMessage {
	meta := rawjson.Get(params, "_meta")
	if rawjson.Get(meta, wire.MetaVersion) == nil {
		return params
	}
	for _, name := range []string{wire.MetaVersion, wire.MetaClientInfo, wire.MetaCapabilities} {
		meta = rawjson.Delete(meta, name)
	}
	if string(meta) == "{}" {
		return rawjson.Delete(params, "_meta")
	}
	return rawjson.Set(params, "_meta", meta)
}

// completed returns a result as the modern era wants it: "The result MUST include a resultType field to
// indicate the type of the result" (MCP 2026-07-28, Overview, Result Responses). Servers of the legacy
// era write none.
func completed(result json.RawMessage) json.RawMessage {
	return rawjson.Union(result, []byte(`{"resultType":"complete"}`))
}

// uncached adds what the modern era wants with results that a client may keep: "Servers MUST include
// caching hints on results" of server/discover, the lists and resources/read; "if ttlMs is 0, the
// response SHOULD be considered immediately stale" (MCP 2026-07-28, Caching). Servers come and go, and
// asking again costs nothing on this machine. What a server says itself stays.
func uncached(result json.RawMessage) json.RawMessage {
	return rawjson.Union(result, []byte(`{"ttlMs":0,"cacheScope":"private"}`))
}

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
