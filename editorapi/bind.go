package editorapi

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// Where an argument comes from: what the caller gives comes first, then what the configuration binds, and
// then, in a form that the user sees before the call, what a [proposer] proposes.

// fillBound adds the arguments that the configuration binds to a call of a tool that lacks them. An editor
// that does not say where the user is (where is nil) is taken to be where it was last seen. Nothing is bound to a prompt.
func (s *session) fillBound(c *command, arguments json.RawMessage, where *Context) json.RawMessage {
	if c.kind != calldoc.Tool {
		return arguments
	}
	if where == nil {
		where = s.lastContext()
	}
	return fill(c, arguments, s.attachment.Bound(c.server, c.name, where))
}

// fill adds what arguments lack from bound, converted to the types of the tool's schema, in the order of
// names. If it adds nothing, arguments stay as they are, byte for byte.
func fill(c *command, arguments json.RawMessage, bound map[string]Bound) json.RawMessage {
	if len(bound) == 0 {
		return arguments
	}
	schema := toolschema.OfTool(c.definition)
	for _, name := range slices.Sorted(maps.Keys(bound)) {
		if rawjson.Get(arguments, name) != nil {
			continue
		}
		if value, ok := bound[name].value(schema, name); ok {
			arguments = rawjson.Set(arguments, name, value)
		}
	}
	return arguments
}

// added returns the names of the arguments that [fill] has added.
func added(before, after json.RawMessage) (names []string) {
	if len(before) == len(after) { // nothing is ever taken away
		return nil
	}
	for name := range rawjson.Members(after) {
		if rawjson.Get(before, name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// value returns b as a value of the argument of that name. A list gets one with the place.
func (b Bound) value(schema toolschema.Schema, name string) (json.RawMessage, bool) {
	has := slices.ContainsFunc(schema, func(p toolschema.Property) bool { return p.Name == name })
	if b.Pattern && !has {
		return nil, false
	}
	argument := schema.Property(name)
	if !b.Place {
		return argument.Convert(b.Text)
	}
	path := func(one toolschema.Property) (json.RawMessage, bool) { return place(one, b.Text) }
	if value, ok := path(argument); ok {
		return value, true
	}
	return list(argument, path)
}
