package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// elicitResult is MCP's ElicitResult.
type elicitResult struct {
	Action  string                     `json:"action"`
	Content map[string]json.RawMessage `json:"content,omitempty"`
}

// elicit asks the user a server's question (MCP 2025-11-25, Client, Elicitation). Ctrl-D cancels.
func (t *terminal) elicit(ctx context.Context, q editorapi.Question) (any, error) {
	form := q.Params
	done, err := t.ask(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	t.say(fmt.Sprintf("%s asks%s:\n%s\n", safetext.Line(q.Server, maxCell), forWhom(q), indent(safetext.Block(rawjson.String(form, "message")))))

	result, err := t.fillIn(ctx, form)
	switch {
	case errors.Is(err, io.EOF):
		t.say("\n")
		return elicitResult{Action: "cancel"}, nil
	case ctx.Err() != nil:
		t.say("\n(the question was withdrawn; what you typed for it goes nowhere)\n")
		return nil, ctx.Err()
	}
	return result, err
}

// forWhom says for which other program a server asks, such as an agent that cannot answer; "" when it asks for this one.
func forWhom(q editorapi.Question) string {
	switch c := q.Caller; {
	case c == nil:
		return ""
	case c.Tool == "":
		return ", for " + safetext.Line(c.Name, maxCell)
	default:
		return fmt.Sprintf(", for %s (tool %s)", safetext.Line(c.Name, maxCell), safetext.Line(c.Tool, maxCell))
	}
}

// fillIn asks for every property of a form.
func (t *terminal) fillIn(ctx context.Context, form json.RawMessage) (elicitResult, error) {
	schema := rawjson.Get(form, "requestedSchema")
	var required []string
	_ = json.Unmarshal(rawjson.Get(schema, "required"), &required) // what is no list requires nothing
	// The member "password" of an input from the configuration (editor protocol, "mcp/… from the
	// daemon").
	secret := string(rawjson.Path(form, "_meta", "mcp-editord/input", "password")) == "true"
	result := elicitResult{Action: "accept", Content: map[string]json.RawMessage{}}
	empty := true
	for name, property := range rawjson.Members(rawjson.Get(schema, "properties")) {
		empty = false
		f := newField(name, property, slices.Contains(required, name))
		value, err := t.askField(ctx, f, secret)
		if err != nil {
			return elicitResult{}, err
		}
		if value != nil {
			result.Content[name] = value
		}
	}
	if empty { // nothing to fill in: ask yes or no
		line, err := t.readLine(ctx, "  yes or no [y/N] ", false)
		if err != nil {
			return elicitResult{}, err
		}
		if !isYes(line) {
			return elicitResult{Action: "decline"}, nil
		}
	}
	return result, nil
}

// askField asks until the answer fits. nil means no answer, which an optional field allows.
func (t *terminal) askField(ctx context.Context, f field, secret bool) (json.RawMessage, error) {
	t.say(f.prompt())
	for {
		line, err := t.readLine(ctx, "  > ", secret)
		if err != nil {
			return nil, err
		}
		value, err := f.parse(line)
		if err == nil {
			return value, nil
		}
		t.say("  " + safetext.Line(err.Error(), math.MaxInt) + "\n")
	}
}

// field is one property of a form: MCP's PrimitiveSchemaDefinition.
type field struct {
	name     string
	schema   json.RawMessage
	required bool
	kind     string           // type of the value, or of each value of an array
	many     bool             // the value is an array
	nullable bool             // the value may be null
	choices  []calldoc.Choice // nil when anything goes
	fallback json.RawMessage  // what an empty answer means; nil when it is none
}

func newField(name string, schema json.RawMessage, required bool) field {
	f := field{name: name, schema: schema, required: required, kind: "string", fallback: rawjson.Get(schema, "default")}
	for _, kind := range toolschema.Types(schema) {
		if kind == "null" {
			f.nullable = true
		} else {
			f.kind = kind
		}
	}
	if rawjson.IsAbsent(f.fallback) { // a null is not worth sending where nothing will do
		f.fallback = nil
		if f.nullable && required {
			f.fallback = json.RawMessage("null")
		}
	}
	values := schema
	if f.kind == "array" {
		values = rawjson.Get(schema, "items")
		f.kind, f.many = "string", true
	}
	f.choices = calldoc.Choices(values)
	for i, title := range slices.Collect(rawjson.Elements(rawjson.Get(values, "enumNames"))) {
		if i < len(f.choices) {
			f.choices[i].Title = rawjson.Bare(title)
		}
	}
	return f
}

// prompt describes the field.
func (f field) prompt() string {
	var b strings.Builder
	b.WriteString("  " + safetext.Line(f.name, maxCell))
	var marks []string
	if f.required {
		marks = append(marks, "required")
	}
	switch {
	case f.many:
		marks = append(marks, "numbers separated by spaces")
	case f.kind == "boolean":
		marks = append(marks, "y or n")
	case f.kind == "integer" || f.kind == "number":
		marks = append(marks, f.kind)
	case rawjson.String(f.schema, "format") != "":
		marks = append(marks, safetext.Line(rawjson.String(f.schema, "format"), maxCell))
	}
	if f.fallback != nil {
		marks = append(marks, "empty: "+safetext.Line(string(f.fallback), maxCell))
	}
	if len(marks) > 0 {
		b.WriteString(" (" + strings.Join(marks, ", ") + ")")
	}
	for _, member := range []string{"title", "description"} {
		if text := rawjson.String(f.schema, member); text != "" && text != f.name {
			b.WriteString("\n    " + safetext.Line(text, math.MaxInt))
		}
	}
	for i, c := range f.choices {
		fmt.Fprintf(&b, "\n    %d  %s", i+1, safetext.Line(c.Name(), maxCell))
		if c.Title != "" && c.Title != c.Name() {
			b.WriteString("  " + safetext.Line(c.Title, maxCell))
		}
	}
	return b.String() + "\n"
}

// parse turns a typed line into a value. An empty line gives the default, or nothing. The error says
// what to type.
func (f field) parse(line string) (json.RawMessage, error) {
	text := strings.TrimSpace(line)
	if text == "" {
		if f.fallback != nil || !f.required {
			return f.fallback, nil
		}
		return nil, errors.New("an answer is required; Ctrl-D cancels")
	}
	value, err := f.value(text)
	if err != nil {
		return nil, err
	}
	return value, f.check(value)
}

func (f field) value(text string) (json.RawMessage, error) {
	switch {
	case f.many:
		list := []byte{'['}
		for word := range strings.FieldsSeq(strings.ReplaceAll(text, ",", " ")) {
			value, err := f.choose(word)
			if err != nil {
				return nil, err
			}
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, value...)
		}
		return append(list, ']'), nil
	case len(f.choices) > 0:
		return f.choose(text)
	case f.nullable && text == "null":
		return json.RawMessage(text), nil
	case f.kind == "boolean":
		text = strings.ToLower(text)
		text = cmp.Or(map[string]string{"y": "true", "yes": "true", "n": "false", "no": "false"}[text], text)
	}
	if wants := map[string]string{
		"boolean": "type y or n", "integer": "type a whole number", "number": "type a number",
	}[f.kind]; wants != "" {
		if value, ok := (toolschema.Property{Types: []string{f.kind}}).Convert(text); ok {
			return value, nil
		}
		return nil, errors.New(wants)
	}
	if inner, ok := strings.CutPrefix(text, `"`); ok && f.nullable { // the word null as a text is in quotes, and so is nothing
		if inner, ok = strings.CutSuffix(inner, `"`); ok && slices.Contains([]string{"", "null"}, strings.Trim(inner, `"`)) {
			text = inner
		}
	}
	return rawjson.Quote(text), nil
}

// choose returns the choice that a word names, by its number or else by its value.
func (f field) choose(word string) (json.RawMessage, error) {
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].Value, nil
	}
	for _, c := range f.choices {
		if c.Name() == word {
			return c.Value, nil
		}
	}
	return nil, fmt.Errorf("type a number from 1 to %d", len(f.choices))
}

// check says what is wrong with a value by the schema. What it does not understand of the schema, it leaves
// to the server.
func (f field) check(value json.RawMessage) error {
	node, _ := syntax.ParseJSONC(string(value))
	for _, p := range schemalang.Compile(f.schema).Check(node) {
		return errors.New(p.Message)
	}
	return nil
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
