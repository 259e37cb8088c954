package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A catalog is what the servers of the workspace offer as of now, under the names that the agent sees.
// It never changes, and keeps what it was made from.
type catalog struct {
	naming  naming
	servers []editorapi.CatalogServer // all of them, also those that cannot be used
	lists   map[wire.ListKind][]json.RawMessage
	targets map[wire.ListKind]map[string]target // tools and prompts, by the name that the agent sees
	found   []target                            // the tools in order, when they are not listed

	owners      map[string][]string // the servers that list a URI or a template; each once
	templates   []string            // each once
	resourceful []string            // the servers that may have resources
}

// A target is a tool or a prompt of a server.
type target struct {
	server, name string          // the names that the daemon knows
	definition   json.RawMessage // as the agent sees it
	promised     bool            // the agent was told of an outputSchema, which structuredContent has to follow
}

// newCatalog takes the servers in their order. With n.single, the others count for nothing.
func newCatalog(servers []editorapi.CatalogServer, n naming) *catalog {
	if n.single != "" {
		servers = slices.DeleteFunc(slices.Clone(servers), func(s editorapi.CatalogServer) bool { return s.Server.Name != n.single })
	}
	c := &catalog{
		naming:  n,
		servers: servers,
		lists:   map[wire.ListKind][]json.RawMessage{},
		targets: map[wire.ListKind]map[string]target{wire.ListTools: {}, wire.ListPrompts: {}},
		owners:  map[string][]string{},
	}
	for _, s := range servers {
		if !usable(s.Server.State) {
			continue
		}
		for _, t := range s.Tools {
			c.add(wire.ListTools, s.Server.Name, t.Tool)
		}
		for _, p := range s.Prompts {
			c.add(wire.ListPrompts, s.Server.Name, p.Prompt)
		}
		c.own(s.Server.Name, "uri", s.Resources)
		c.own(s.Server.Name, "uriTemplate", s.ResourceTemplates)
		if len(s.Resources)+len(s.ResourceTemplates) > 0 ||
			!rawjson.IsAbsent(rawjson.Get(s.Server.Capabilities, "resources")) {
			c.resourceful = append(c.resourceful, s.Server.Name)
		}
	}
	for _, s := range servers {
		if usable(s.Server.State) {
			c.addResources(wire.ListResources, s.Server.Name, "uri", s.Resources)
			c.addResources(wire.ListResourceTemplates, s.Server.Name, "uriTemplate", s.ResourceTemplates)
		}
	}
	if n.lazy {
		c.lists[wire.ListTools] = c.lazyTools()
	}
	return c
}

// usable reports whether what a server offers can be asked for. A server that has failed or is stopped
// keeps its place: a list that comes and goes costs the agent more than a call that fails.
func usable(state editorapi.ServerState) bool {
	return state != editorapi.ServerDisabled && state != editorapi.ServerNeedsApproval
}

// add adds a tool or a prompt under the name that the agent sees. Names are unique in MCP, and models
// refuse lists in which they are not: the first one counts.
func (c *catalog) add(kind wire.ListKind, server string, definition json.RawMessage) {
	own := rawjson.String(definition, "name")
	name := c.naming.name(server, own)
	if name != own {
		definition = rawjson.Set(definition, "name", rawjson.Quote(name))
	}
	t := target{server, own, definition, !c.naming.lazy && !rawjson.IsAbsent(rawjson.Get(definition, "outputSchema"))}
	if _, taken := c.targets[kind][name]; !taken {
		c.targets[kind][name] = t
	} else if c.naming.single == "" {
		return
	}
	if kind == wire.ListTools && c.naming.lazy {
		c.found = append(c.found, t)
		return
	}
	c.lists[kind] = append(c.lists[kind], definition)
}

// own notes the resources or templates of a server, which keep their own URIs.
func (c *catalog) own(server, key string, definitions []json.RawMessage) {
	for _, definition := range definitions {
		uri := rawjson.String(definition, key)
		if key == "uriTemplate" && c.owners[uri] == nil {
			c.templates = append(c.templates, uri)
		}
		if !slices.Contains(c.owners[uri], server) {
			c.owners[uri] = append(c.owners[uri], server)
		}
	}
}

// addResources adds the resources or templates of a server, as they are. One that two servers have
// says whose it is. What a server wrote in that place is no help: it may name another.
func (c *catalog) addResources(kind wire.ListKind, server, key string, definitions []json.RawMessage) {
	for _, definition := range definitions {
		if c.naming.single == "" &&
			(len(c.owners[rawjson.String(definition, key)]) > 1 || rawjson.Path(definition, "_meta", metaServer) != nil) {
			definition = rawjson.SetPath(definition, rawjson.Quote(server), "_meta", metaServer)
		}
		c.lists[kind] = append(c.lists[kind], definition)
	}
}

// target returns the tool or prompt with the name that the agent sees. Tools that are found are not among
// them: lazyCall says what may be called by which of its tools.
func (c *catalog) target(kind wire.ListKind, name string) (target, bool) {
	if kind == wire.ListTools && c.naming.lazy {
		return target{}, false
	}
	t, ok := c.targets[kind][name]
	return t, ok
}

// starting returns the servers that may have a name that is not known, because they do not run yet.
func (c *catalog) starting(name string) (servers []string) {
	for _, s := range c.servers {
		soon := s.Server.State == editorapi.ServerStarting || s.Server.State == editorapi.ServerRestarting || s.Server.State == editorapi.ServerStopped && !s.Tried
		if soon && mayBe(name, s.Server.Name) {
			servers = append(servers, s.Server.Name)
		}
	}
	return servers
}

// differs reports whether a list differs from that of before.
func (c *catalog) differs(kind wire.ListKind, before *catalog) bool {
	return !slices.EqualFunc(before.lists[kind], c.lists[kind], func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// allCapabilities is what the agent is told of all servers together, as MCP's ServerCapabilities. It
// is the same whatever runs: agents ask once, and servers come and go.
const allCapabilities = `{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`

// capabilities returns MCP's ServerCapabilities. With one server they are its own, since everything is
// passed on; but its lists can always change, since the daemon may start it anew. While they are not
// known, they are those of all servers together.
func (c *catalog) capabilities() json.RawMessage {
	s := c.one()
	if s == nil || !rawjson.IsObject(s.Server.Capabilities) {
		return json.RawMessage(allCapabilities)
	}
	capabilities := s.Server.Capabilities
	for _, kind := range announced {
		if rawjson.IsObject(rawjson.Get(capabilities, string(kind))) || kind == wire.ListTools && c.naming.lazy {
			capabilities = rawjson.SetPath(capabilities, []byte("true"), string(kind), "listChanged")
		}
	}
	return capabilities
}

// one returns the server of --server, nil when there is none.
func (c *catalog) one() *editorapi.CatalogServer {
	if c.naming.single == "" || len(c.servers) == 0 {
		return nil
	}
	return &c.servers[0]
}
