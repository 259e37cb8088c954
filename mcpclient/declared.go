package mcpclient

import (
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// capabilities are MCP's ClientCapabilities, in the words of each era.
type capabilities struct{ legacy, modern json.RawMessage }

// capabilitiesOf returns what is declared with caps, nil for none.
func capabilitiesOf(caps json.RawMessage) *capabilities {
	if caps == nil {
		caps = json.RawMessage("{}")
	}
	return &capabilities{legacy: slices.Clone(caps), modern: modernCapabilities(caps)}
}

// modernCapabilities leaves out what the modern era has no word for: it has no
// notifications/roots/list_changed.
func modernCapabilities(caps json.RawMessage) json.RawMessage {
	if rawjson.Path(caps, "roots", "listChanged") == nil {
		return slices.Clone(caps)
	}
	return rawjson.Set(caps, "roots", rawjson.Delete(rawjson.Get(caps, "roots"), "listChanged"))
}

// Declare changes what the server is told that its client can do: MCP's ClientCapabilities, nil for none.
// A server of 2026-07-28 is told with the next request. Any other is told when it is initialized the next
// time, see [Client.Renew] and [Status.Told]. Declare does not wait.
func (c *Client) Declare(caps json.RawMessage) {
	next := capabilitiesOf(caps)
	if before := c.declared.Swap(next); string(before.legacy) == string(next.legacy) {
		return
	}
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s != nil && s.modern.Load() {
		c.catalog.stale(wire.ListKinds()...) // what it offers may depend on it
	}
}

// tell returns what the requests of a call tell a server of 2026-07-28.
func (s *session) tell(call Call) json.RawMessage {
	if call.Capabilities != nil {
		return modernCapabilities(call.Capabilities)
	}
	return s.declared.Load().modern
}

// told returns what the server knows of its client: in the legacy era what it was told in initialize, in the
// modern era what the requests of the call say. It is nil as long as the server has been told nothing.
func (s *session) told(call Call) json.RawMessage {
	if s.modern.Load() {
		return call.told
	}
	if caps := s.initialized.Load(); caps != nil {
		return *caps
	}
	return nil
}
