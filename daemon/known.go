package daemon

import (
	"context"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// This file has what is known of servers that do not run: their own lists of before in this daemon, else
// what is kept on disk (catalogs.go).

// A reading is what is kept of a server, on its way from the disk.
type reading struct {
	done chan struct{} // closed when kept is set
	kept kept

	// Guarded by d.mu.
	late    bool // somebody has given up waiting for it
	claimed int  // bytes of the memory of the server
}

// readKept has what is kept of the server read, unless it is in memory. d.mu is held.
func (c *connection) readKept() *reading {
	if c.earlier == nil {
		r := &reading{done: make(chan struct{})}
		if c.d.closing {
			close(r.done)
			return r
		}
		c.earlier = r
		name := c.keptName
		c.d.dialing.Go(func() { c.hasRead(r, c.d.catalogs.read(name)) })
	}
	return c.earlier
}

// hasRead ends a reading. It keeps what was read, if somebody may need it again and there is memory for it.
func (c *connection) hasRead(r *reading, found kept) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	r.kept = found
	close(r.done)
	c.tried = c.tried || found.tried && c.earlier == r
	size := 0
	if found.offers != nil {
		size = found.offers.size()
	}
	switch {
	case c.earlier != r: // nobody needs it any more
	case c.d.conns[c.key] == c && c.memory.Acquire(size):
		r.claimed = size
	default:
		c.earlier = nil
	}
	if r.late && found.offers != nil {
		c.listed(kindsIn(found.offers.lists))
	}
}

// dropEarlier lets go of what was read. d.mu is held.
func (c *connection) dropEarlier() {
	if c.earlier != nil {
		c.memory.Release(c.earlier.claimed)
		c.earlier.claimed, c.earlier = 0, nil
	}
}

// keepAs sets the name under which is kept what the server offers: the folders of its editors may have
// changed. d.mu is held.
func (c *connection) keepAs(name string) {
	if c.keptName == name {
		return
	}
	c.keptName = name
	c.dropEarlier()
	if c.said != nil {
		c.d.catalogs.note(c)
	}
}

// own returns what the server offers, or offered when it last ran in this daemon: c.said is there. d.mu
// is held.
func (c *connection) own() *offered { return &offered{*c.said, c.client.Lists()} }

// last returns what the server offers, or offered when it last ran; nil when that is unknown. found is what
// the disk has of it. d.mu is held.
func (c *connection) last(found kept) *offered {
	switch {
	case c.said != nil:
		return c.own()
	case found.name == c.keptName: // else its editors have got other folders meanwhile
		return found.offers
	}
	return nil
}

// tries notes that the server has become ready, or has failed to. d.mu is held.
func (c *connection) tries(s mcpclient.Status) {
	if s.State == mcpclient.StateReady {
		c.said = &said{s.ProtocolVersion, s.ServerInfo, s.Capabilities, s.Instructions}
		if c.earlier != nil && c.earlier.kept.offers != nil { // its own lists may be empty, and no news
			c.listed(kindsIn(c.earlier.kept.offers.lists))
		}
		c.dropEarlier()
	} else if s.Err == nil {
		return
	}
	c.tried = true
	c.d.catalogs.note(c)
}

// listed notes for all editors that lists of the server have changed. d.mu is held.
func (c *connection) listed(kinds []string) {
	if len(kinds) == 0 {
		return
	}
	for _, e := range c.members {
		e.listed(c.name, kinds...)
	}
}

// findKept has what is kept of a server of e read, if that has not run yet, and waits for it, but no
// longer than patience. What comes later, editors are told of. "" stands for all servers.
func (e *editor) findKept(ctx context.Context, server string) map[*connection]kept {
	readings := map[*connection]*reading{}
	e.d.mu.Lock()
	for name, c := range e.on {
		if c.said == nil && (server == "" || server == name) {
			readings[c] = c.readKept()
		}
	}
	e.d.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found := map[*connection]kept{}
	for c, r := range readings {
		if await(ctx, r.done) {
			found[c] = r.kept
			continue
		}
		e.d.mu.Lock()
		select {
		case <-r.done:
			found[c] = r.kept
		default:
			r.late = true
		}
		e.d.mu.Unlock()
	}
	return found
}

// slowStart is how long a start takes for which no agent waits any more: the first one has waited for it.
const slowStart = 8 * time.Second

// known returns what e knows of a server that is not ready, which it defines so; no offering when
// nothing is known. found is what the disk has of it. d.mu is held.
func (e *editor) known(def config.Definition, c *connection, view editorapi.Server, found kept) (editorapi.ServerCatalog, *offering) {
	slow := !c.begun.IsZero() && time.Since(c.begun) > slowStart
	catalog := editorapi.ServerCatalog{Server: view, Tried: c.tried || slow}
	last := c.last(found)
	if last == nil {
		return catalog, nil
	}
	last.fill(&catalog.Server)
	catalog.Earlier, catalog.Tried = true, true
	return catalog, c.offering(e.sees(def, c, last.lists))
}
