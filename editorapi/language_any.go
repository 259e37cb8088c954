package editorapi

import (
	"cmp"
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// maxCallActions is how many tools are offered for a part of a document: editors show them in one menu.
const maxCallActions = 20

// maxSelection is how much of a document, in bytes, is offered as an argument: each of the actions has it.
const maxSelection = 64 << 10

// anyLanguage offers to call tools with parts of documents that are not ours.
type anyLanguage struct {
	silent
	s *session
}

// actions returns the tools whose required arguments come from where the user is, and a way to all others.
// What is read-only is called; anything else is opened as a call document first. No server is asked.
func (l anyLanguage) actions(d *document, part textdoc.Span) []action {
	where := contextOf(d, part)
	if where.SelectedText != nil && len(*where.SelectedText) > maxSelection {
		where.SelectedText = nil
	}
	actions := []action{{lspCommand{"MCP: Call…", commandCall, callParams{Edit: true, Context: where}}, kindMCP}}
	from := newProposer(hints{}, where, l.s.openFolders())
	for _, o := range l.s.attachment.Offers("") {
		for i, n := range o.toolNeeds() {
			c := o.tools[i]
			from.hints = n.hints
			arguments := l.s.fitted(c, n, from)
			if arguments == nil {
				continue
			}
			title := "MCP: " + c.server + ": " + c.title()
			if !c.readOnly() {
				title += "…"
			}
			p := callParams{Server: c.server, Tool: c.name, Arguments: arguments, Context: where, Edit: !c.readOnly()}
			actions = append(actions, action{lspCommand{title, commandCall, p}, kindMCP})
			if len(actions) > maxCallActions {
				return actions
			}
		}
	}
	return actions
}

// needs are what a tool needs to be called, kept because every code action asks for it.
type needs struct {
	required []toolschema.Property // nil: it takes no arguments at all
	hints
}

// toolNeeds returns the needs of the tools of o, in their order.
func (o *Offer) toolNeeds() []needs {
	o.needing.Do(func() {
		o.needed = make([]needs, len(o.tools))
		for i, c := range o.tools {
			schema := toolschema.OfTool(c.definition)
			if len(schema) == 0 {
				continue
			}
			required := filter(schema, isRequired)
			if len(required) == 0 { // then any of them may be what the tool is about
				required = schema
			}
			o.needed[i] = needs{required, hintsOf(c, schema)}
		}
	})
	return o.needed
}

// fitted returns the arguments of a tool, nil when where the user is does not say what is required.
func (s *session) fitted(c *command, n needs, from *proposer) json.RawMessage {
	arguments := from.fillPlaces(nil, n.required)
	if len(missing(arguments, n.required)) > 0 {
		arguments = s.fillBound(c, arguments, from.where)
	}
	arguments = from.fillSelected(arguments, n.required)
	if len(missing(arguments, n.required)) > 0 {
		return nil
	}
	return arguments
}

// title returns the name of a tool or prompt for people.
func (c *command) title() string {
	return cmp.Or(rawjson.String(c.definition, "title"), rawjson.String(rawjson.Get(c.definition, "annotations"), "title"), c.name)
}
