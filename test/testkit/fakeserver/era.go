package fakeserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// firstModern is the first version without a handshake. Versions compare as text.
const firstModern = "2026-07-28"

// The members of `_meta` in MCP 2026-07-28 (Overview, `_meta`).
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// modernMethods are the methods of a server at 2026-07-28, and whether their results say how long
// they stay true.
var modernMethods = map[string]bool{
	"server/discover": true, "tools/list": true, "prompts/list": true, "resources/list": true,
	"resources/templates/list": true, "resources/read": true,
	"tools/call": false, "prompts/get": false, "completion/complete": false, "subscriptions/listen": false,
}

func (s *server) speaksModern() bool { return slices.Max(s.script.ProtocolVersions) >= firstModern }
func (s *server) speaksLegacy() bool { return slices.Min(s.script.ProtocolVersions) < firstModern }

// isModern tells whether a message is of the modern era: "A request carrying modern per-request
// `_meta` is served statelessly according to this revision. An `initialize` request
// selects legacy semantics" (MCP 2026-07-28, Versioning). A server that knows only
// the legacy era does not look.
func (s *server) isModern(m message) bool {
	return s.speaksModern() && (!s.speaksLegacy() || meta(m.Params)[metaVersion] != nil)
}

// meta returns the members of `_meta` of params.
func meta(params json.RawMessage) map[string]json.RawMessage {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p)
	return p.Meta
}

// refusal returns the error for a request of the modern era that lacks what every request
// must have, else nothing.
func (s *server) refusal(m message) outcome {
	if !m.modern {
		return outcome{}
	}
	has := meta(m.Params)
	version := member(raw(has), metaVersion)
	versions := s.modernVersions()
	switch {
	case has[metaVersion] == nil || has[metaCapabilities] == nil:
		// "A server that supports only modern versions SHOULD name the protocol
		// versions it supports in any error it returns to an initialize request."
		return refused(-32602, fmt.Sprintf("%s without %s and %s in _meta; this server speaks %v", m.Method, metaVersion, metaCapabilities, versions))
	case !slices.Contains(versions, version):
		return outcome{status: http.StatusBadRequest, err: raw(map[string]any{"code": -32022, "message": "unsupported protocol version",
			"data": map[string]any{"supported": s.script.ProtocolVersions, "requested": version}})}
	}
	if _, known := modernMethods[m.Method]; !known {
		return unknownMethod(m)
	}
	return outcome{}
}

func (s *server) modernVersions() []string {
	return slices.DeleteFunc(slices.Clone(s.script.ProtocolVersions), func(v string) bool { return v < firstModern })
}

// refused is an answer with an error, and with the status that Streamable HTTP has for it.
func refused(code int, text string) outcome {
	out := failure(code, text)
	out.status = http.StatusBadRequest
	return out
}

// unknownMethod is the answer to a request that the server does not know. "If the
// server does not implement the requested RPC method, it MUST respond with `404 Not
// Found`" (MCP 2026-07-28, Streamable HTTP, Protocol Version Header).
func unknownMethod(m message) outcome {
	out := failure(-32601, "method not found: "+m.Method)
	if m.modern {
		out.status = http.StatusNotFound
	}
	return out
}

// complete adds to a result what every result of the modern era must have.
func (s *server) complete(m message, result json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if !m.modern || json.Unmarshal(result, &members) != nil || members == nil {
		return result
	}
	add := map[string]json.RawMessage{"resultType": raw("complete")}
	if modernMethods[m.Method] {
		add["ttlMs"], add["cacheScope"] = raw(s.script.TTLMs), raw("private")
	}
	own := map[string]json.RawMessage{metaServerInfo: s.script.ServerInfo}
	_ = json.Unmarshal(members["_meta"], &own)
	maps.Copy(add, members)
	add["_meta"] = raw(own)
	return raw(add)
}

func (s *server) initialize(params json.RawMessage) outcome {
	asked := member(params, "protocolVersion")
	legacy := slices.DeleteFunc(slices.Clone(s.script.ProtocolVersions), func(v string) bool { return v >= firstModern })
	version := s.script.AnswerVersion
	switch {
	case version != "":
	case slices.Contains(legacy, asked):
		version = asked
	default:
		version = legacy[0]
	}
	return s.introduce(map[string]any{"protocolVersion": version, "serverInfo": s.script.ServerInfo})
}

// introduce adds to what the server says of itself what it says in both eras.
func (s *server) introduce(result map[string]any) outcome {
	result["capabilities"] = s.script.Capabilities
	if s.script.Instructions != "" {
		result["instructions"] = s.script.Instructions
	}
	return outcome{result: raw(result)}
}
