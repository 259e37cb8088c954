package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// metaServer is the member of _meta with which a resource of two servers says whose it is, and with
// which the agent says of whom it wants a resource.
const metaServer = "mcp-editord/server"

// codeResourceNotFound is MCP's error for a resource that nobody has, until 2025-11-25. From
// 2026-07-28 on it is [wire.CodeInvalidParams] (MCP 2026-07-28, Resources, Error Handling).
const codeResourceNotFound = -32002

// resource returns the server that has a resource: the one that meta, the _meta of the params, names;
// the one that lists the URI; the one whose template begins as the URI does; or the only one that has resources.
// uri may also be a template, as in the ref of completion/complete. The error has the code of MCP
// until 2025-11-25.
func (c *catalog) resource(uri string, meta json.RawMessage) (server string, err *wire.Error) {
	if c.naming.single != "" {
		return c.naming.single, nil
	}
	if named := rawjson.Get(meta, metaServer); !rawjson.IsAbsent(named) {
		name, _ := rawjson.Text(named)
		if !slices.ContainsFunc(c.servers, func(s editorapi.CatalogServer) bool {
			return s.Server.Name == name && usable(s.Server.State)
		}) {
			return "", wire.RPCErrorf(wire.CodeInvalidParams, "_meta[%q] is %s, which is not a server that can be used", metaServer, named)
		}
		return name, nil
	}
	servers := c.owners[uri]
	if len(servers) == 0 {
		servers = c.byTemplate(uri)
	}
	if len(servers) == 0 && len(c.resourceful) == 1 {
		servers = c.resourceful
	}
	switch len(servers) {
	case 0:
		err := wire.RPCErrorf(codeResourceNotFound, "no server has the resource %q", uri)
		err.Data = rawjson.Set(nil, "uri", rawjson.Quote(uri))
		return "", err
	case 1:
		return servers[0], nil
	}
	return "", wire.RPCErrorf(wire.CodeInvalidParams, "several servers have the resource %q: %s; name one of them in _meta, as in {%q: %s}",
		uri, quoted(servers), metaServer, rawjson.Quote(servers[0]))
}

// byTemplate returns the servers with the template of which the most text before its first expression begins a URI.
func (c *catalog) byTemplate(uri string) (servers []string) {
	best := 1
	for _, template := range c.templates {
		prefix, _, _ := strings.Cut(template, "{")
		if len(prefix) < best || !strings.HasPrefix(uri, prefix) {
			continue
		}
		if len(prefix) > best {
			best, servers = len(prefix), nil
		}
		for _, server := range c.owners[template] {
			if !slices.Contains(servers, server) {
				servers = append(servers, server)
			}
		}
	}
	return servers
}

// quoted returns names for a message.
func quoted(names []string) string {
	var b []string
	for _, name := range names {
		b = append(b, string(rawjson.Quote(name)))
	}
	return strings.Join(b, ", ")
}
