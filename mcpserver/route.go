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

// routes say which server has a resource. Other than names, URIs are the servers' own.
type routes struct {
	owners    map[string][]string // the servers that list a URI or a template; each once, in their order
	templates []ownedTemplate
	servers   []string // those that may have resources
	all       []string // those that can be used
}

type ownedTemplate struct{ server, template string }

// add adds the resources and templates of a server.
func (r *routes) add(s *editorapi.CatalogServer) {
	name := s.Server.Name
	r.all = append(r.all, name)
	if len(s.Resources) > 0 || len(s.ResourceTemplates) > 0 || !rawjson.IsAbsent(rawjson.Get(s.Server.Capabilities, "resources")) {
		r.servers = append(r.servers, name)
	}
	for _, resource := range s.Resources {
		r.own(name, rawjson.String(resource, "uri"))
	}
	for _, definition := range s.ResourceTemplates {
		text := rawjson.String(definition, "uriTemplate")
		r.own(name, text)
		r.templates = append(r.templates, ownedTemplate{name, text})
	}
}

func (r *routes) own(server, uri string) {
	if !slices.Contains(r.owners[uri], server) {
		r.owners[uri] = append(r.owners[uri], server)
	}
}

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
		if !slices.Contains(c.routes.all, name) {
			return "", wire.RPCErrorf(wire.CodeInvalidParams, "_meta[%q] is %s, which is not a server that can be used", metaServer, named)
		}
		return name, nil
	}
	servers := c.routes.owners[uri]
	if len(servers) == 0 {
		servers = c.routes.byTemplate(uri)
	}
	if len(servers) == 0 && len(c.routes.servers) == 1 {
		servers = c.routes.servers
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

// byTemplate returns the servers with the template that fits a URI best. One that matches all of the
// URI is better than one of which only the text before its first expression does; among equals, the
// one with more of that text.
func (r *routes) byTemplate(uri string) (servers []string) {
	steps := maxTemplateSteps
	var best fit
	for _, t := range r.templates {
		switch f := fitOf(t.template, uri, &steps); {
		case f == fit{} || f.less(best):
		case best.less(f):
			best, servers = f, []string{t.server}
		case !slices.Contains(servers, t.server):
			servers = append(servers, t.server)
		}
	}
	return servers
}

// fit says how well a template fits a URI. The zero value: not at all.
type fit struct {
	whole  bool // the template matches all of it
	prefix int  // bytes before the first expression
}

func (f fit) less(g fit) bool {
	return !f.whole && g.whole || f.whole == g.whole && f.prefix < g.prefix
}

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

// fitOf says how well a URI template fits a URI, and subtracts what that took from steps.
func fitOf(template, uri string, steps *int) fit {
	prefix := template
	if first := expression.FindStringIndex(template); first != nil {
		prefix = template[:first[0]]
	}
	if !strings.HasPrefix(uri, prefix) {
		return fit{}
	}
	if *steps -= (len(uri) + 1) * (len(template) + 1); *steps < 0 {
		return fit{false, len(prefix)}
	}
	pattern, last := `(?s)\A`, 0
	for _, at := range expression.FindAllStringSubmatchIndex(template, -1) {
		pattern += regexp.QuoteMeta(template[last:at[0]]) + expansions[template[at[2]:at[3]]]
		last = at[1]
	}
	matcher, err := regexp.Compile(pattern + regexp.QuoteMeta(template[last:]) + `\z`)
	return fit{err == nil && matcher.MatchString(uri), len(prefix)} // one that is too long does not compile
}

// quoted returns names for a message.
func quoted(names []string) string {
	var b []string
	for _, name := range names {
		b = append(b, string(rawjson.Quote(name)))
	}
	return strings.Join(b, ", ")
}
