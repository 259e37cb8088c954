package calldoc

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
)

// A Server is one that a call may name.
type Server struct {
	Name  string
	State string // for people
	Ready bool
}

// A Catalog is what calls can be about. Its lists are what is known now: it asks nobody, except for Values.
type Catalog interface {
	Servers() []Server
	// The lists of a server, as MCP defines their items. Offered are its tools or its prompts.
	Offered(k Kind, server string) []json.RawMessage
	Resources(server string) []json.RawMessage
	ResourceTemplates(server string) []json.RawMessage
	// Values asks a server for values of an argument of a prompt or a resource template (MCP's completion/complete): ref
	// says which one, others has the arguments that are written already. nil when the server cannot.
	Values(ctx context.Context, server string, ref json.RawMessage, argument, value string, others map[string]string) []string
	// Bound returns the arguments that the configuration fills in where a call of a tool leaves them out.
	Bound(c *Call, server, tool string) []string
	// Question returns the question with this id, while it is open.
	Question(id string) (Question, bool)
}

// A book looks up what calls are about, everything once.
type book struct {
	Catalog
	servers []Server
	names   []string                                 // of servers
	lists   map[[2]string]map[string]json.RawMessage // by kind and server, then by name
	schemas map[[3]string]*schemalang.Schema         // by kind, server and name
	left    int                                      // how many suggestions may still be looked for
}

// maxSuggestions is how many names are compared with all that there are, in one look at a document.
const maxSuggestions = 20

// suggestion is [suggestion], as long as not too many were looked for.
func (b *book) suggestion(name string, names []string) string {
	if b.left == 0 {
		return ""
	}
	b.left--
	return suggestion(name, names)
}

func newBook(c Catalog) *book {
	b := &book{Catalog: c, servers: c.Servers(), left: maxSuggestions, lists: map[[2]string]map[string]json.RawMessage{}, schemas: map[[3]string]*schemalang.Schema{}}
	for _, s := range b.servers {
		b.names = append(b.names, s.Name)
	}
	return b
}

// server returns a server by its name.
func (b *book) server(name string) (Server, bool) {
	for _, s := range b.servers {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}

// definition returns what the server says about the tool or the prompt of a call, or the schema of the question; nil
// when that is not known.
func (b *book) definition(c *Call) json.RawMessage {
	if c.Kind == Answer {
		q, _ := b.Question(c.Target)
		return q.Schema
	}
	server, name := c.Resolve(b.names)
	definition := b.list(c.Kind, server)[name]
	if c.Kind == Tool && definition != nil {
		definition = withoutRequired(definition, b.Bound(c, server, name))
	}
	return definition
}

// withoutRequired returns MCP's Tool with arguments that may be left out.
func withoutRequired(tool json.RawMessage, optional []string) json.RawMessage {
	if len(optional) == 0 {
		return tool
	}
	required := []string{}
	for name := range rawjson.Elements(rawjson.Path(tool, "inputSchema", "required")) {
		if text, ok := rawjson.Text(name); ok && !slices.Contains(optional, text) {
			required = append(required, text)
		}
	}
	list, _ := json.Marshal(required) // strings have JSON
	return rawjson.SetPath(tool, list, "inputSchema", "required")
}

// list returns what a server offers, by name.
func (b *book) list(k Kind, server string) map[string]json.RawMessage {
	key := [2]string{string(k), server}
	list, ok := b.lists[key]
	if !ok {
		list = map[string]json.RawMessage{}
		for _, item := range b.Offered(k, server) {
			list[rawjson.String(item, "name")] = item
		}
		b.lists[key] = list
	}
	return list
}

// schema returns the schema of "with"; nil when it is not known.
func (b *book) schema(c *Call) *schemalang.Schema {
	server, name := c.Resolve(b.names)
	key := [3]string{string(c.Kind), server, name}
	schema, ok := b.schemas[key]
	if !ok {
		if definition := b.definition(c); definition != nil {
			schema = schemalang.Compile(c.Kind.Schema(definition))
		}
		b.schemas[key] = schema
	}
	return schema
}
