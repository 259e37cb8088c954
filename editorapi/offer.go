package editorapi

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
)

// An Offer is what one server offers to all editors that see the same of it, with the commands of
// its tools and prompts. It is made once for each change of the server's lists, and never changes.
// It aliases the lists.
type Offer struct {
	server                       string
	tools, prompts               []*command
	resources, resourceTemplates []json.RawMessage

	byID map[string]*command // the first, where several have one id
	ids  []string            // of byID, sorted

	needing sync.Once
	needed  []needs // of tools, in their order; see toolNeeds
}

// NewOffer makes the Offer of a server. The lists have MCP's definitions as the server sent them.
func NewOffer(server string, tools, prompts, resources, resourceTemplates []json.RawMessage) *Offer {
	o := &Offer{
		server: server, resources: resources, resourceTemplates: resourceTemplates,
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
		if o.byID[c.id] == nil {
			o.byID[c.id] = c
			o.ids = append(o.ids, c.id)
		}
		commands = append(commands, c)
	}
	return commands
}

// find returns the command of a tool or prompt, nil when it has none.
func (o *Offer) find(key commandKey) *command {
	if c := o.byID[key.id()]; c != nil && c.commandKey == key {
		return c
	}
	return nil
}
