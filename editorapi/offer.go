package editorapi

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// An Offer is what one server offers to all editors that see the same of it, with the commands of
// its tools and prompts. It is made once for each change of the server's lists, and never changes.
// It aliases the lists.
type Offer struct {
	server                       string
	prefix                       string // of its ids, after the kind
	tools, prompts               []*command
	resources, resourceTemplates []json.RawMessage

	byID   map[string]*command // the first, where several have one id
	ids    []string            // of byID, sorted
	hashed []string            // those of ids that end in a hash

	copied int // bytes of definitions that alias no list

	needing sync.Once
	needed  []needs // of tools, in their order; see toolNeeds
}

// NewOffer makes the Offer of a server. The lists have MCP's definitions as the server sent them.
func NewOffer(server string, tools, prompts, resources, resourceTemplates []json.RawMessage) *Offer {
	o := &Offer{server: server, prefix: commandPart(server) + ".", byID: make(map[string]*command, len(tools)+len(prompts))}
	o.tools = o.collect(calldoc.Tool, tools)
	o.prompts = o.collect(calldoc.Prompt, prompts)
	o.resources = o.compact(resources)
	o.resourceTemplates = o.compact(resourceTemplates)
	slices.Sort(o.ids)
	return o
}

// collect returns the commands of tools or prompts. It skips one without a name, which nobody can
// call. If two tools have the same name, a call reaches only the first.
func (o *Offer) collect(kind calldoc.Kind, definitions []json.RawMessage) []*command {
	commands := make([]*command, 0, len(definitions))
	for i, definition := range o.compact(definitions) {
		key := keyOf(kind, o.server, definitions[i])
		if key.name == "" {
			continue
		}
		c := &command{key, key.id(), definition}
		switch first := o.byID[c.id]; {
		case first == nil:
			o.byID[c.id] = c
			o.ids = append(o.ids, c.id)
			if !key.plain() {
				o.hashed = append(o.hashed, c.id)
			}
		case first.commandKey != key:
			continue // its hash is another's
		}
		commands = append(commands, c)
	}
	return commands
}

// compact returns raws without white space.
func (o *Offer) compact(raws []json.RawMessage) []json.RawMessage {
	out, copied := raws, o.copied
	for i, raw := range raws {
		if compact := rawjson.Compact(raw); len(compact) < len(raw) {
			if o.copied == copied {
				out = slices.Clone(raws)
			}
			out[i] = compact
			o.copied += len(compact)
		}
	}
	return out
}

// commandSize is about how many bytes a command takes beside its names and its definition.
const commandSize = 256

// Size returns about how many bytes o takes beside the lists that it aliases.
func (o *Offer) Size() int {
	size := o.copied
	for _, commands := range [][]*command{o.tools, o.prompts} {
		for _, c := range commands {
			size += commandSize + len(c.id) + len(c.name)
		}
	}
	return size
}

// find returns the command of a tool or prompt, nil when it has none.
func (o *Offer) find(key commandKey) *command {
	if c := o.byID[key.id()]; c != nil && c.commandKey == key {
		return c
	}
	return nil
}

// taken returns the ids of o that a server in before has too: both end in the same hash.
func (o *Offer) taken(before []*Offer) map[string]bool {
	taken := map[string]bool{}
	for _, other := range before {
		if len(o.hashed) == 0 || !strings.HasPrefix(o.prefix, other.prefix) && !strings.HasPrefix(other.prefix, o.prefix) {
			continue // no two ids of theirs begin alike
		}
		for _, id := range o.hashed {
			if other.byID[id] != nil {
				taken[id] = true
			}
		}
	}
	return taken
}

// idsBeside returns the ids of the commands, sorted, without those that a server in before has.
func (o *Offer) idsBeside(before []*Offer) []string {
	taken := o.taken(before)
	if len(taken) == 0 {
		return o.ids
	}
	return slices.DeleteFunc(slices.Clone(o.ids), func(id string) bool { return taken[id] })
}

// appendTo appends the members of [CatalogServer] that follow its server. It leaves out the commands
// that a server in before has.
func (o *Offer) appendTo(b []byte, before []*Offer) []byte {
	taken := o.taken(before)
	b = appendCommands(b, "tools", "tool", o.tools, taken)
	b = appendCommands(b, "prompts", "prompt", o.prompts, taken)
	b = appendList(b, "resources", o.resources)
	return appendList(b, "resourceTemplates", o.resourceTemplates)
}

// appendCommands appends a member with a list of [CatalogTool] or [CatalogPrompt].
func appendCommands(b []byte, list, kind string, commands []*command, taken map[string]bool) []byte {
	b = append(append(append(b, `,"`...), list...), `":[`...)
	for _, c := range commands {
		if taken[c.id] {
			continue
		}
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = append(append(b, `{"command":"`...), c.id...) // which needs no escapes
		b = append(append(append(b, `","`...), kind...), `":`...)
		b = append(append(b, c.definition...), '}')
	}
	return append(b, ']')
}

// appendList appends a member with a list.
func appendList(b []byte, list string, raws []json.RawMessage) []byte {
	b = append(append(append(b, `,"`...), list...), `":[`...)
	for i, raw := range raws {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, raw...)
	}
	return append(b, ']')
}

// encodedSize returns how many bytes appendTo appends at most.
func (o *Offer) encodedSize() int {
	size := len(`,"tools":[],"prompts":[],"resources":[],"resourceTemplates":[]`)
	for _, commands := range [][]*command{o.tools, o.prompts} {
		for _, c := range commands {
			size += len(`{"command":"","prompt":},`) + len(c.id) + len(c.definition)
		}
	}
	for _, raws := range [][]json.RawMessage{o.resources, o.resourceTemplates} {
		for _, raw := range raws {
			size += len(raw) + 1
		}
	}
	return size
}
