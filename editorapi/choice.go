package editorapi

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// What a message box offers.
const (
	maxOptions      = 6
	maxOptionLength = 30 // characters
)

// The first action declines: in many editors a bare Enter takes it.
const (
	actionDecline = "Decline"
	actionAgree   = "OK"
)

// An option is one value that may be chosen.
type option struct {
	label string          // what the user reads; not safe to show
	value json.RawMessage // what the server gets
}

// elicitInBox asks for what can be said with one choice: a form without fields, or with one boolean or one
// enum of few short values. asked is false when a box is not enough, or when this editor cannot show one.
func (s *session) elicitInBox(ctx context.Context, q Question, schema json.RawMessage) (answer json.RawMessage, asked bool, err error) {
	name, property, ok := onlyField(schema)
	if !ok {
		return nil, false, nil
	}
	options := []option{{label: actionAgree}}
	description := ""
	if name != "" {
		if options, ok = optionsOf(property); !ok {
			return nil, false, nil
		}
		if description = rawjson.String(property, "description"); description == "" {
			description = rawjson.String(property, "title")
		}
	}
	actions := []string{actionDecline}
	for _, o := range options {
		if len(o.label) > maxOptionLength*4 || safetext.Line(o.label, maxOptionLength) != o.label || slices.Contains(actions, o.label) {
			return nil, false, nil
		}
		actions = append(actions, o.label)
	}
	text, all := boxText(wording.WhoAsks(q.Server)+" asks:", questionText(q), description)
	if len(options) == 0 || len(options) > maxOptions || !all {
		return nil, false, nil
	}
	action, err := s.box(ctx, text, actions...)
	switch {
	case cannotAsk(err):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case action == "":
		return actionResult(answerCancel), true, nil
	case action == actionDecline:
		return actionResult(answerDecline), true, nil
	}
	content := json.RawMessage("{}")
	if name != "" {
		content = rawjson.Set(content, name, options[slices.Index(actions, action)-1].value)
	}
	return rawjson.Set(actionResult(answerAccept), "content", content), true, nil
}

// onlyField returns the one field of a form; no name when the form has none. ok is false when it has more.
func onlyField(schema json.RawMessage) (name string, property json.RawMessage, ok bool) {
	fields := 0
	for key, value := range rawjson.Members(rawjson.Get(schema, "properties")) {
		name, property = key, value
		fields++
	}
	return name, property, fields <= 1
}

// optionsOf returns the values that a field may have. ok is false when it can have others (MCP 2025-11-25,
// Elicitation, Requested Schema: boolean, enum with enumNames, oneOf with const and title).
func optionsOf(property json.RawMessage) (options []option, ok bool) {
	if rawjson.String(property, "type") == "boolean" {
		return []option{{"No", json.RawMessage("false")}, {"Yes", json.RawMessage("true")}}, true
	}
	if rawjson.String(property, "type") == "array" {
		return nil, false
	}
	var names []string
	for name := range rawjson.Elements(rawjson.Get(property, "enumNames")) {
		text, _ := rawjson.Text(name)
		names = append(names, text)
	}
	i := 0
	for value := range rawjson.Elements(rawjson.Get(property, "enum")) {
		o := option{label: rawjson.Bare(value), value: json.RawMessage(value)}
		if i < len(names) && names[i] != "" {
			o.label = names[i]
		}
		options = append(options, o)
		i++
	}
	for choice := range rawjson.Elements(rawjson.Get(property, "oneOf")) {
		value := rawjson.Get(choice, "const")
		if value == nil {
			return nil, false
		}
		o := option{label: rawjson.Bare(value), value: json.RawMessage(value)}
		if title := rawjson.String(choice, "title"); title != "" {
			o.label = title
		}
		options = append(options, o)
	}
	return options, len(options) > 0
}
