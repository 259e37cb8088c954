package mcpclient

import (
	"encoding/json"
	"slices"
	"sync/atomic"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// declared is what its client can do, as a server is told from now on. The zero value must not be used.
type declared struct{ now atomic.Pointer[capabilities] }

// capabilities are MCP's ClientCapabilities, in the words of each era.
type capabilities struct{ legacy, modern json.RawMessage }

// set replaces what is declared, nil for nothing, and reports whether that is something else.
func (d *declared) set(caps json.RawMessage) (changed bool) {
	if caps == nil {
		caps = json.RawMessage("{}")
	}
	next := &capabilities{legacy: slices.Clone(caps), modern: modernCapabilities(caps)}
	before := d.now.Swap(next)
	return before == nil || string(before.legacy) != string(next.legacy)
}

func (d *declared) get() *capabilities { return d.now.Load() }

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
	if !c.declared.set(caps) {
		return
	}
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s != nil && s.modern.Load() {
		c.catalog.stale(listKinds()...) // what it offers may depend on it
	}
}

// tell returns what the requests of a call tell a server of 2026-07-28.
func (s *session) tell(call Call) json.RawMessage {
	if call.Capabilities != nil {
		return modernCapabilities(call.Capabilities)
	}
	return s.declared.get().modern
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
