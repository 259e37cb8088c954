package mcpclient

import (
	"encoding/json"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// peer is what the server said of itself in the handshake. It does not change.
type peer struct {
	name         string // of the server in the configuration
	era          era
	version      string // as the server wrote it
	info         json.RawMessage
	capabilities json.RawMessage
	instructions string
}

// check returns an [*Error] of [KindCapabilityNotSupported] for a method that the
// server did not declare. Methods that nobody here knows pass: they may belong
// to an extension.
//
// "Both parties MUST: […] Only use capabilities that were successfully
// negotiated" (MCP 2025-11-25, Lifecycle, Operation).
func (p *peer) check(method string) error {
	capability := p.required(method)
	if capability == "" || p.declares(capability) {
		return nil
	}
	return errorf(KindCapabilityNotSupported, capability, "server %q does not offer %s, so %s was not sent", p.name, capability, method)
}

// required returns the capability that a method needs, "" for none.
func (p *peer) required(method string) string {
	switch {
	case strings.HasPrefix(method, "tools/"):
		return "tools"
	case strings.HasPrefix(method, "prompts/"):
		return "prompts"
	case method == "resources/subscribe", method == "resources/unsubscribe":
		return "resources.subscribe"
	case strings.HasPrefix(method, "resources/"):
		return "resources"
	case method == "logging/setLevel":
		return "logging"
	case method == "completion/complete" && p.version >= Version20250326:
		return "completions" // 2024-11-05 has completion without a capability for it
	default:
		return ""
	}
}

// declares tells whether the server declared a capability; "a.b" is the member b
// of a. An object or true declares it.
func (p *peer) declares(capability string) bool {
	value := rawjson.Path(p.capabilities, strings.Split(capability, ".")...)
	return rawjson.IsObject(value) || string(value) == "true"
}
