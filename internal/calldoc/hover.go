package calldoc

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Hover returns what there is to know about a place.
func (d *Document) Hover(at int, c Catalog) (textdoc.Hover, bool) {
	call := d.At(at)
	if call == nil || call.root == nil {
		return textdoc.Hover{}, false
	}
	path, span, inKey := locate(call.root, at)
	if len(path) == 0 {
		return textdoc.Hover{}, false
	}
	h := textdoc.Hover{Span: span}
	h.Text = hoverer{call: call, book: newBook(c), at: at, path: path, inKey: inKey}.text(&h.Span)
	return h, h.Text != ""
}

// locate returns the path to the key or the scalar at a place, and where that is written. The path is empty when there is none.
func locate(n *syntax.Node, at int) (path []syntax.Step, span textdoc.Span, inKey bool) {
	for {
		next := (*syntax.Node)(nil)
		for _, m := range n.Members {
			if m.KeySpan.Contains(at) {
				return append(path, syntax.Step{Key: m.Key, Index: -1}), m.KeySpan, true
			}
			if m.Value.Contains(at) {
				path, next = append(path, syntax.Step{Key: m.Key, Index: -1}), m.Value
				break
			}
		}
		for i, item := range n.Items {
			if next == nil && item.Contains(at) {
				path, next = append(path, syntax.Step{Index: i}), item
			}
		}
		switch {
		case next == nil && n.Kind == syntax.Map || next == nil && n.Kind == syntax.List:
			return nil, textdoc.Span{}, false
		case next == nil:
			return path, n.Span, false
		}
		n = next
	}
}

// A hoverer says what is at one place.
type hoverer struct {
	call  *Call
	book  *book
	at    int
	path  []syntax.Step
	inKey bool
}

// text returns what is at the place; "" when there is nothing to say. It narrows the span to a variable.
func (h hoverer) text(span *textdoc.Span) string {
	member := h.path[0].Key
	if h.inKey && len(h.path) == 1 {
		m, _ := find(members, member)
		return m.meaning
	}
	if member == memberURI || member == memberWith {
		if text := h.variable(span); text != "" {
			return text
		}
	}
	switch member {
	case string(Tool), string(Prompt):
		return h.target()
	case string(Resource):
		return h.server(h.call.Target)
	case memberURI:
		return h.uri()
	case memberContext:
		if h.inKey && len(h.path) == 2 {
			m, _ := find(contextMembers, h.path[1].Key)
			return m.meaning
		}
	case memberWith:
		if schema := h.book.schema(h.call); schema != nil {
			text, _ := schema.Hover(h.path[1:])
			return text
		}
	}
	return ""
}

// variable says what the variable at the place means.
func (h hoverer) variable(span *textdoc.Span) string {
	for _, found := range variablePattern.FindAllStringIndex(h.call.document.text[span.Start:span.End], -1) {
		at := textdoc.Span{Start: span.Start + found[0], End: span.Start + found[1]}
		if at.Contains(h.at) {
			*span = at
			v := variableOf(strings.Trim(h.call.document.text[at.Start:at.End], "${}"))
			return "${" + v.name + "}: " + v.meaning
		}
	}
	return ""
}

// target describes the tool or the prompt.
func (h hoverer) target() string {
	definition := h.book.definition(h.call)
	if definition == nil {
		server, _ := h.call.Resolve(h.book.names)
		return h.server(server)
	}
	text := joined(rawjson.String(definition, "title"), rawjson.String(definition, "description"))
	if h.call.Kind == Tool {
		text = joined(text, effects(definition))
	}
	return text
}

// joined joins paragraphs, without those that are empty.
func joined(paragraphs ...string) string {
	var said []string
	for _, p := range paragraphs {
		if p = strings.TrimSpace(p); p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "\n\n")
}

// effects says what a tool may do, by the hints of its server.
func effects(tool json.RawMessage) string {
	hints := rawjson.Get(tool, "annotations")
	switch {
	case string(rawjson.Get(hints, "readOnlyHint")) == "true":
		return "The server says that it changes nothing."
	case string(rawjson.Get(hints, "destructiveHint")) == "false":
		return "It may change things, but the server says that it destroys nothing."
	case Destructive(tool):
		return "The server says that it is destructive."
	}
	return "It may change things."
}

// Destructive reports whether a server says of a tool that it is: "If true, the tool may perform destructive updates to its
// environment. […] (This property is meaningful only when `readOnlyHint == false`)" (MCP 2025-11-25, ToolAnnotations). The
// default is true, which would be nearly all tools: it counts only where the server says so.
func Destructive(tool json.RawMessage) bool {
	hints := rawjson.Get(tool, "annotations")
	return string(rawjson.Get(hints, "destructiveHint")) == "true" && string(rawjson.Get(hints, "readOnlyHint")) != "true"
}

func (h hoverer) server(name string) string {
	server, ok := h.book.server(name)
	if !ok {
		return fmt.Sprintf("There is no server %q.", name)
	}
	return fmt.Sprintf("Server %q is %s.", name, server.State)
}

// uri describes the resource.
func (h hoverer) uri() string {
	for _, resource := range h.book.Resources(h.call.Target) {
		if rawjson.String(resource, "uri") == h.call.URI {
			return joined(rawjson.String(resource, "name"), rawjson.String(resource, "description"), rawjson.String(resource, "mimeType"))
		}
	}
	return ""
}
