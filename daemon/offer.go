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
)

// An offering makes the offer of a server once, for all editors on its connection that see the same
// of it.
type offering struct {
	lists *mcpclient.Lists
	sight sight
	offer func() *editorapi.Offer // makes it once; not called with d.mu held

	claimed int // bytes of the connection's memory; guarded by d.mu
}

// maxOfferings is how many offerings a connection keeps: one for each of the rules that were used last.
const maxOfferings = 4

// offering returns the offering of lists of the server, for editors that see so much of it. d.mu is held.
func (c *connection) offering(s sight, lists *mcpclient.Lists) *offering {
	c.dropOutdated(lists)
	for i, o := range c.offerings {
		if o.sight.same(s) {
			c.offerings = append(slices.Delete(c.offerings, i, i+1), o) // the last that was used
			return o
		}
	}
	if len(c.offerings) == maxOfferings {
		c.dropOffering(c.offerings[0])
	}
	o := &offering{lists: lists, sight: s}
	o.offer = sync.OnceValue(func() *editorapi.Offer {
		offer := editorapi.NewOffer(c.name, s.visible(lists.Of(mcpclient.ListTools)), lists.Of(mcpclient.ListPrompts),
			lists.Of(mcpclient.ListResources), lists.Of(mcpclient.ListResourceTemplates))
		c.keep(o, offer.Size())
		return offer
	})
	c.offerings = append(c.offerings, o)
	return o
}

// keep claims memory for an offering that is made. If there is none, the offering is not kept: it is
// made anew for each who asks.
func (c *connection) keep(o *offering, size int) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	switch {
	case !slices.Contains(c.offerings, o): // it is out of date already
	case c.memory.Acquire(size):
		o.claimed = size
	default:
		c.dropOffering(o)
	}
}

// dropOffering lets go of an offering. d.mu is held.
func (c *connection) dropOffering(o *offering) {
	c.offerings = slices.DeleteFunc(c.offerings, func(other *offering) bool { return other == o })
	c.memory.Release(o.claimed)
}

// dropOutdated lets go of the offerings that are not of current, and of the lists that they were made
// of. d.mu is held.
func (c *connection) dropOutdated(current *mcpclient.Lists) {
	for len(c.offerings) > 0 && c.offerings[0].lists != current { // all are of the same lists
		c.dropOffering(c.offerings[0])
	}
}

// sight is what decides which tools of a server an editor sees.
type sight struct {
	rules  map[string]config.ToolRule
	agents map[string]config.AgentRule // nil for an editor that is no agent
	pins   *pinning                    // likewise
}

// same reports whether two editors see the same.
func (s sight) same(other sight) bool {
	return s.pins == other.pins && reflect.DeepEqual(s.rules, other.rules) && reflect.DeepEqual(s.agents, other.agents)
}

// sees returns what e sees of the server of c, which it defines so; c may be nil. d.mu is held.
func (e *editor) sees(def config.Definition, c *connection) sight {
	s := sight{rules: def.Tools}
	if e.agent != nil {
		s.agents = def.Agents
		if c != nil {
			s.pins = c.pinned()
		}
	}
	return s
}

// visible leaves out the tools that the configuration hides, and those that are held. It must not be
// called with d.mu held.
func (s sight) visible(tools []json.RawMessage) []json.RawMessage {
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
			o = c.offering(e.sees(def, c), c.client.Lists())
			catalog.Tried = p.Known
		case p.Known && c != nil:
			catalog, o = c.known(e.sees(def, c), catalog.Server, found[c])
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
			offerings = append(offerings, c.offering(e.sees(def, c), c.client.Lists()))
		}
	}
	e.d.mu.Unlock()
	var offers []*editorapi.Offer
	for _, o := range offerings {
		offers = append(offers, o.offer())
	}
	return offers
}
