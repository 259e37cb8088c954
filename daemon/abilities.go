package daemon

import (
	"bytes"
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// clientCapabilities returns what a server is told (MCP's ClientCapabilities): always the roots, and
// what any of these editors declared, that is the questions they can answer and the extensions they know.
func clientCapabilities(def config.Definition, editors []*editor) json.RawMessage {
	var all editorapi.Capabilities
	forms := false
	for _, e := range editors {
		forms = forms || canAnswer(e.caps, modeForm)
		all.Sampling = rawjson.Union(all.Sampling, e.caps.Sampling)
		all.Elicitation = rawjson.Union(all.Elicitation, e.caps.Elicitation)
		all.Extensions = rawjson.Union(all.Extensions, e.caps.Extensions)
	}
	if forms && !canAnswer(all, modeForm) { // {} of one editor means forms, and another declared URLs
		all.Elicitation = rawjson.Set(all.Elicitation, modeForm, []byte("{}"))
	}
	caps := json.RawMessage(`{"roots":{"listChanged":true}}`)
	if all.Sampling != nil && def.Sampling != config.SamplingDeny {
		caps = rawjson.Set(caps, "sampling", all.Sampling)
	}
	if all.Elicitation != nil {
		caps = rawjson.Set(caps, "elicitation", all.Elicitation)
	}
	if all.Extensions != nil {
		caps = rawjson.Set(caps, "extensions", all.Extensions)
	}
	return caps
}

// callCapabilities returns what a call tells its server, nil for what was declared: the caller can say
// that it answers something else for this call.
func (e *editor) callCapabilities(def config.Definition, call editorapi.Call) json.RawMessage {
	if call.Capabilities == nil {
		return nil
	}
	able := []*editor{{caps: *call.Capabilities}}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	if c := e.on[def.Name]; c != nil {
		for _, other := range c.members {
			if other != e {
				able = append(able, other)
			}
		}
	}
	return clientCapabilities(def, able)
}

// told returns what the server knows of those on its connection, when it asked.
func told(ask mcpclient.Ask) editorapi.Capabilities {
	return editorapi.Capabilities{Sampling: rawjson.Get(ask.Told, "sampling"), Elicitation: rawjson.Get(ask.Told, "elicitation")}
}

// declare tells the client what those on the connection can do now. A connection that nobody is on keeps
// what it had. d.mu is held.
func (c *connection) declare() {
	if len(c.members) > 0 {
		c.client.Declare(clientCapabilities(c.def, c.members))
	}
}

// renewIfDue has the server initialized anew when those on the connection can do more than it was told, and
// none of them has used it. It would lose what it holds for who has. d.mu is held.
func (c *connection) renewIfDue() {
	if c.status.State != mcpclient.StateReady || c.status.Told == nil || len(c.used) > 0 || c.d.closing {
		return
	}
	if s := c.starting; s != nil && s.asking && s.again {
		return // it is about to end anyway
	}
	if more := rawjson.Union(c.status.Told, clientCapabilities(c.def, c.members)); bytes.Equal(more, c.status.Told) {
		return
	}
	if renewing := c.client.Renew(); renewing != nil {
		c.renewing = renewing
		c.log.Info("initializing it anew: an editor has come that can do more than the server was told, and nobody has used it yet")
	}
}
