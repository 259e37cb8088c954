package mcpserver

import (
	"encoding/json"
	"regexp"
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
// the one that lists the URI; the one whose template fits best; or the only one that has resources.
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

// byTemplate returns the servers with the template that fits a URI best.
func (c *catalog) byTemplate(uri string) (servers []string) {
	steps, best := maxTemplateSteps, 0
	for _, template := range c.templates {
		fit := fitOf(template, uri, &steps)
		if fit == 0 || fit < best {
			continue
		}
		if fit > best {
			best, servers = fit, nil
		}
		for _, server := range c.owners[template] {
			if !slices.Contains(servers, server) {
				servers = append(servers, server)
			}
		}
	}
	return servers
}

// wholeFit is how much better a template fits that matches all of a URI than one of which only the text
// before its first expression does; among equals, the one with more of that text fits better.
const wholeFit = 1 << 30

// maxTemplateSteps bounds the work of looking for a URI among all templates: some milliseconds. When
// it is used up, templates count by the text before their first expression.
const maxTemplateSteps = 1_000_000

// An expression of a URI template. A brace that is not closed is a literal.
var expression = regexp.MustCompile(`\{([+#./;?&]?)[^}]*\}`)

// expansions are what expressions with an operator become (RFC 6570, 3.2.1). Values without an operator
// have no slash, although nothing keeps a server from giving one a meaning. An expression without a
// value is empty.
var expansions = map[string]string{
	"+": `.*`, "#": `(#.*)?`, "?": `(\?[^#]*)?`, "&": `(&[^#]*)?`, "/": `(/[^?#]*)?`, ".": `(\.[^/?#]*)?`, ";": `(;[^/?#]*)?`,
	"": `[^/?#]*`,
}

// fitOf says how well a URI template fits a URI, 0 for not at all, and subtracts what that took from steps.
func fitOf(template, uri string, steps *int) int {
	prefix := template
	if first := expression.FindStringIndex(template); first != nil {
		prefix = template[:first[0]]
	}
	if !strings.HasPrefix(uri, prefix) {
		return 0
	}
	if *steps -= (len(uri) + 1) * (len(template) + 1); *steps < 0 {
		return len(prefix)
	}
	pattern, last := `(?s)\A`, 0
	for _, at := range expression.FindAllStringSubmatchIndex(template, -1) {
		pattern += regexp.QuoteMeta(template[last:at[0]]) + expansions[template[at[2]:at[3]]]
		last = at[1]
	}
	matcher, err := regexp.Compile(pattern + regexp.QuoteMeta(template[last:]) + `\z`)
	if err == nil && matcher.MatchString(uri) { // one that is too long does not compile
		return wholeFit + len(prefix)
	}
	return len(prefix)
}

// quoted returns names for a message.
func quoted(names []string) string {
	var b []string
	for _, name := range names {
		b = append(b, string(rawjson.Quote(name)))
	}
	return strings.Join(b, ", ")
}
