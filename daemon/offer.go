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

// An offering makes the offer of a server once, for all editors on its connection whose rules for
// tools are equal: rules hide tools.
type offering struct {
	lists *mcpclient.Lists
	rules map[string]config.ToolRule
	offer func() *editorapi.Offer // makes it once; not called with d.mu held

	claimed int // bytes of the connection's memory; guarded by d.mu
}

// maxOfferings is how many offerings a connection keeps: one for each of the rules that were used last.
const maxOfferings = 4

// offering returns the offering of the server as of now, for editors that define it so. d.mu is held.
func (c *connection) offering(def config.Definition) *offering {
	lists := c.client.Lists()
	c.dropOutdated(lists)
	for i, o := range c.offerings {
		if reflect.DeepEqual(o.rules, def.Tools) {
			c.offerings = append(slices.Delete(c.offerings, i, i+1), o) // the last that was used
			return o
		}
	}
	if len(c.offerings) == maxOfferings {
		c.dropOffering(c.offerings[0])
	}
	o := c.newOffering(def, lists)
	c.offerings = append(c.offerings, o)
	return o
}

// newOffering returns an offering of lists that is not made yet.
func (c *connection) newOffering(def config.Definition, lists *mcpclient.Lists) *offering {
	o := &offering{lists: lists, rules: def.Tools}
	o.offer = sync.OnceValue(func() *editorapi.Offer {
		offer := editorapi.NewOffer(def.Name, visible(def, lists.Of(mcpclient.ListTools)), lists.Of(mcpclient.ListPrompts),
			lists.Of(mcpclient.ListResources), lists.Of(mcpclient.ListResourceTemplates))
		c.keep(o, offer.Size())
		return offer
	})
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

// visible leaves out the tools that the configuration hides.
func visible(def config.Definition, tools []json.RawMessage) []json.RawMessage {
	if len(def.Tools) == 0 {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(tool json.RawMessage) bool {
		return def.Rule(rawjson.String(tool, "name")).Hidden
	})
}

// offers reports whether the server offers something. One that is being restarted still offers what
// it did before: commands do not come and go with every hiccup. c may be nil. d.mu is held.
func (c *connection) offers() bool {
	return c != nil && (c.status.State == mcpclient.StateReady || c.status.State == mcpclient.StateRestarting)
}

// Catalog implements [editorapi.Attachment].
func (e *editor) Catalog(_ context.Context, server string) ([]editorapi.ServerCatalog, error) {
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
		switch {
		case server != "" && server != def.Name:
			continue
		case c.offers():
			c.client.Refresh() // the editor is told when that finds a change
			offerings = append(offerings, c.offering(def))
		case server == "":
			continue
		default:
			offerings = append(offerings, nil)
		}
		catalogs = append(catalogs, editorapi.ServerCatalog{Server: e.d.view(e, def)})
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
			offerings = append(offerings, c.offering(def))
		}
	}
	e.d.mu.Unlock()
	var offers []*editorapi.Offer
	for _, o := range offerings {
		offers = append(offers, o.offer())
	}
	return offers
}
