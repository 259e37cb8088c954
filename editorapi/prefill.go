package editorapi

import (
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// prefill serves editord/prefill: the arguments of a command that the configuration binds, and
// proposals for those whose name and schema say what they are. The user sees them before anything
// is called.
func (s *session) prefill(_ *request, p PrefillParams) (PrefillResult, error) {
	if p.Command == "" {
		return PrefillResult{}, invalidMember("command", "is missing; name the command whose arguments you want")
	}
	c, err := s.commandOf(p.Command)
	if err != nil {
		return PrefillResult{}, err
	}
	arguments := json.RawMessage("{}")
	schema := toolschema.OfPrompt(c.definition)
	if c.kind == kindTool {
		schema = toolschema.OfTool(c.definition)
		arguments = s.fillBound(c, arguments, p.Context)
	}
	from := newProposer(c, schema, p.Context, s.openFolders())
	missing := []string{}
	for _, property := range schema {
		if rawjson.Get(arguments, property.Name) != nil {
			continue
		}
		if value, ok := from.propose(property); ok {
			arguments = rawjson.Set(arguments, property.Name, value)
		} else if property.Required {
			missing = append(missing, property.Name)
		}
	}
	return PrefillResult{arguments, missing}, nil
}
