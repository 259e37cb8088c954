package daemon

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// An offering makes the offer of a server once, for all editors on its connection that see the same
// of it.
type offering struct {
	sight sight
	offer func() *editorapi.Offer // not called with d.mu held
}

// maxOfferings is how many offerings a connection keeps.
const maxOfferings = 4

// offering returns the offering for editors that see so much of the server. It lets go of those of
// other lists. d.mu is held.
func (c *connection) offering(s sight) *offering {
	c.dropOutdated(s.lists)
	for _, o := range c.offerings {
		if o.sight.same(s) {
			return o
		}
	}
	o := &offering{s, sync.OnceValue(func() *editorapi.Offer {
		return editorapi.NewOffer(c.name, s.visible(), s.lists.Of(wire.ListPrompts),
			s.lists.Of(wire.ListResources), s.lists.Of(wire.ListResourceTemplates))
	})}
	c.offerings = append(c.offerings[max(0, len(c.offerings)+1-maxOfferings):], o)
	return o
}

// dropOutdated lets go of the offerings of other lists. d.mu is held.
func (c *connection) dropOutdated(now *mcpclient.Lists) {
	if len(c.offerings) > 0 && c.offerings[0].sight.lists != now {
		c.offerings = nil
	}
}

// sight is what an editor sees of a server.
type sight struct {
	lists  *mcpclient.Lists
	rules  map[string]config.ToolRule
	agents map[string]config.AgentRule // nil for an editor that is no agent
	pins   *pinning                    // of lists; likewise
}

// same reports whether two editors see the same.
func (s sight) same(other sight) bool {
	return s.lists == other.lists && s.pins == other.pins &&
		reflect.DeepEqual(s.rules, other.rules) && reflect.DeepEqual(s.agents, other.agents)
}

// sees returns what e sees of lists of the server of c, which it defines so; c may be nil. d.mu is
// held.
func (e *editor) sees(def config.Definition, c *connection, lists *mcpclient.Lists) sight {
	s := sight{lists: lists, rules: def.Tools}
	if e.agent != nil {
		s.agents = def.Agents
		if c != nil {
			s.pins = c.pinned(lists)
		}
	}
	return s
}

// visible returns the tools without those that the configuration hides, and those that are held. It
// must not be called with d.mu held.
func (s sight) visible() []json.RawMessage {
	tools := s.lists.Of(wire.ListTools)
	var held map[string]bool
	if s.pins != nil {
		held = s.pins.held().tools
	}
	if len(s.rules) == 0 && len(s.agents) == 0 && len(held) == 0 {
		return tools
	}
	def := config.Definition{Tools: s.rules, Agents: s.agents}
	return slices.DeleteFunc(slices.Clone(tools), func(tool json.RawMessage) bool {
		name := rawjson.String(tool, "name")
		return held[name] || def.Rule(name).Hidden || def.AgentRule(name) == config.AgentNever
	})
}

// offers reports whether the server offers something. One that is being restarted still offers what
// it did before: commands do not come and go with every hiccup. c may be nil. d.mu is held.
func (c *connection) offers() bool {
	return c != nil && (c.status.State == mcpclient.StateReady || c.status.State == mcpclient.StateRestarting)
}

// Catalog implements [editorapi.Attachment].
func (e *editor) Catalog(ctx context.Context, p editorapi.CatalogParams) ([]editorapi.ServerCatalog, error) {
	server := p.Server
	var found map[*connection]kept
	if p.Known {
		found = e.findKept(ctx, server)
	}
	e.d.mu.Lock()
	if server != "" {
		if _, _, err := e.definition(server); err != nil {
			e.d.mu.Unlock()
			return nil, err
		}
	}
	var catalogs []editorapi.ServerCatalog
	var offerings []*offering // nil for a server that offers nothing
	for _, def := range e.set.Servers {
		c := e.on[def.Name]
		catalog := editorapi.ServerCatalog{Server: e.d.view(e, def)}
		var o *offering
		switch {
		case server != "" && server != def.Name:
			continue
		case c.offers() && (!p.Known || c.said != nil):
			c.client.Refresh() // the editor is told when that finds a change
			o = c.offering(e.sees(def, c, c.client.Lists()))
			catalog.Tried = p.Known
		case p.Known && c != nil:
			catalog, o = e.known(def, c, catalog.Server, found[c])
		case server == "" && !p.Known:
			continue
		}
		catalogs, offerings = append(catalogs, catalog), append(offerings, o)
	}
	e.d.mu.Unlock()
	for i, o := range offerings {
		if o != nil {
			catalogs[i].Offer = o.offer()
		}
	}
	return catalogs, nil
}

// Offers implements [editorapi.Attachment]. Only where all servers are asked about, lists whose time is
// over are read again: the lookup of a command must not cause a listing.
func (e *editor) Offers(server string) []*editorapi.Offer {
	e.d.mu.Lock()
	var offerings []*offering
	for _, def := range e.set.Servers {
		if c := e.on[def.Name]; (server == "" || server == def.Name) && c.offers() {
			if server == "" {
				c.client.Refresh()
			}
			offerings = append(offerings, c.offering(e.sees(def, c, c.client.Lists())))
		}
	}
	e.d.mu.Unlock()
	var offers []*editorapi.Offer
	for _, o := range offerings {
		offers = append(offers, o.offer())
	}
	return offers
}
