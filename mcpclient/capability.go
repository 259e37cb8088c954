package mcpclient

import (
	"encoding/json"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// peer is what the server said about itself in the handshake. It does not change.
type peer struct {
	name         string // of the server in the configuration
	version      string // as the server wrote it
	info         json.RawMessage
	capabilities json.RawMessage
	instructions string
}

// check returns a [*wire.Error] of [wire.KindCapabilityNotSupported] for a method that the
// server did not declare. Unknown methods pass: they may belong to an extension.
//
// "Both parties MUST: […] Only use capabilities that were successfully
// negotiated" (MCP 2025-11-25, Lifecycle, Operation).
func (p *peer) check(method string) error {
	capability := p.required(method)
	if capability == "" || p.declares(capability) {
		return nil
	}
	return wire.Errorf(wire.KindCapabilityNotSupported, capability, "server %q does not offer %s, so %s was not sent", p.name, capability, method)
}

// required returns the capability that a method needs, "" for none.
func (p *peer) required(method string) string {
	switch {
	case strings.HasPrefix(method, "tools/"):
		return "tools"
	case strings.HasPrefix(method, "prompts/"):
		return "prompts"
	case method == wire.MethodSubscribe, method == wire.MethodUnsubscribe:
		return "resources.subscribe"
	case strings.HasPrefix(method, "resources/"):
		return "resources"
	case method == wire.MethodSetLevel:
		return "logging"
	case method == wire.MethodComplete && p.version >= wire.Version20250326:
		return "completions" // 2024-11-05 has completion without a capability for it
	default:
		return ""
	}
}

// declares reports whether the server declared a capability; "a.b" is the member b
// of a. An object or true declares it.
func (p *peer) declares(capability string) bool {
	value := []byte(p.capabilities)
	for name := range strings.SplitSeq(capability, ".") {
		value = rawjson.Get(value, name)
	}
	return rawjson.IsObject(value) || string(value) == "true"
}
