package editorapi

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
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

	needing sync.Once
	needed  []needs // of tools, in their order; see toolNeeds
}

// NewOffer makes the Offer of a server. The lists have MCP's definitions as the server sent them.
func NewOffer(server string, tools, prompts, resources, resourceTemplates []json.RawMessage) *Offer {
	o := &Offer{
		server: server, prefix: commandPart(server) + ".", resources: resources, resourceTemplates: resourceTemplates,
		byID: make(map[string]*command, len(tools)+len(prompts)),
	}
	o.tools = o.collect(calldoc.Tool, tools)
	o.prompts = o.collect(calldoc.Prompt, prompts)
	slices.Sort(o.ids)
	return o
}

// collect returns the commands of tools or prompts. It skips one without a name, which nobody can
// call. If two tools have the same name, a call reaches only the first.
func (o *Offer) collect(kind calldoc.Kind, definitions []json.RawMessage) []*command {
	commands := make([]*command, 0, len(definitions))
	for _, definition := range definitions {
		key := keyOf(kind, o.server, definition)
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

// commandSize is about how many bytes a command takes beside its names and its definition.
const commandSize = 256

// Size returns about how many bytes o takes beside the lists that it aliases.
func (o *Offer) Size() int {
	size := 0
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
