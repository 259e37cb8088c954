package editorapi

import (
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// prefill serves editord/prefill: the arguments of a command that the configuration binds, and
// proposals for those whose name and schema say what they are. The user sees them before anything
// is called.
func (s *session) prefill(_ *request, p PrefillParams) (PrefillResult, error) {
	c, err := s.commandOf(p.Command)
	if err != nil {
		return PrefillResult{}, err
	}
	if p.Arguments == nil {
		p.Arguments = json.RawMessage("{}")
	} else if !rawjson.IsObject(p.Arguments) {
		return PrefillResult{}, notA("an object", "arguments")
	}
	given := s.fillBound(c, p.Arguments, p.Context)
	bound := append([]string{}, added(p.Arguments, given)...)
	arguments, missing := s.proposed(c, given, p.Context, func(toolschema.Property) bool { return true })
	return PrefillResult{arguments, missing, bound, strangers(c, p.Arguments)}, nil
}

// strangers returns those of the arguments that a tool or prompt does not have, but for those that it may want all the same:
// JSON Schema allows them unless told otherwise.
func strangers(c *command, arguments json.RawMessage) (found []Stranger) {
	var names []string
	for name := range rawjson.Members(arguments) {
		names = append(names, name)
	}
	for _, stranger := range schemalang.Compile(c.kind.Schema(c.definition)).Strangers(names) {
		if stranger.Refused || stranger.Meant != "" {
			found = append(found, Stranger{stranger.Key, stranger.Meant})
		}
	}
	return found
}

// proposed returns arguments with proposals for those of the wanted ones that they lack, and the names of the required ones
// for which there is none.
func (s *session) proposed(c *command, arguments json.RawMessage, where *Context, wanted func(toolschema.Property) bool) (filled json.RawMessage, without []string) {
	schema := schemaOf(c)
	from := newProposer(hintsOf(c, schema), where, s.openFolders())
	schema = filter(schema, wanted)
	arguments = from.fillSelected(from.fillPlaces(arguments, schema), schema)
	return arguments, missing(arguments, schema)
}

func schemaOf(c *command) toolschema.Schema {
	if c.kind == calldoc.Tool {
		return toolschema.OfTool(c.definition)
	}
	return toolschema.OfPrompt(c.definition)
}

// missing returns the names of the required properties that arguments have no value for, never nil.
func missing(arguments json.RawMessage, schema toolschema.Schema) []string {
	names := []string{}
	for _, property := range filter(lacking(arguments, schema), isRequired) {
		names = append(names, property.Name)
	}
	return names
}

// incomplete returns an error for a call without arguments that its tool or prompt requires, as the diagnostics of its
// document say too; c is nil for a resource.
func incomplete(c *command, params json.RawMessage) error {
	if c == nil {
		return nil
	}
	for _, property := range lacking(rawjson.Get(params, "arguments"), schemaOf(c)) {
		if property.Required && !property.Default {
			return errorf(KindInvalidParams, property.Name, "%q is missing; write a value for it and run the call again", property.Name)
		}
	}
	return nil
}
