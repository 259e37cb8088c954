// Package toolschema reads the arguments of a tool or a prompt, as far as needed to turn a text
// into a value of the right type. It checks nothing else: the server does.
package toolschema

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// A Schema is the arguments of a tool or a prompt, in the order in which
// the server lists them.
type Schema []Property

// A Property is one argument.
type Property struct {
	Name        string
	Description string
	Required    bool
	Default     bool     // it has one, which servers fill in
	Types       []string // in JSON Schema; nil when the schema does not say
	Format      string
	Pattern     string    // a regular expression; "" when the schema does not say
	Enum        []byte    // an array; nil when there is none, or when alternatives allow more
	Items       *Property // what a list has, without its own Items; nil when the schema does not say
}

// OfTool reads MCP's Tool.inputSchema.
func OfTool(tool json.RawMessage) Schema {
	input := rawjson.Get(tool, "inputSchema")
	var required []string
	for name := range rawjson.Elements(rawjson.Get(input, "required")) {
		var s string
		if json.Unmarshal(name, &s) == nil {
			required = append(required, s)
		}
	}
	var properties Schema
	r := reader{input, maxReferences}
	for name, raw := range rawjson.Members(rawjson.Get(input, "properties")) {
		p := r.property(raw)
		p.Name, p.Required, p.Default = name, slices.Contains(required, name), rawjson.Get(raw, "default") != nil
		properties = append(properties, p)
	}
	for _, name := range required { // those without a schema
		if !slices.ContainsFunc(properties, func(p Property) bool { return p.Name == name }) {
			properties = append(properties, Property{Name: name, Required: true})
		}
	}
	return properties
}

// OfPrompt reads MCP's Prompt.arguments. All of them are strings.
func OfPrompt(prompt json.RawMessage) Schema {
	var properties Schema
	for argument := range rawjson.Elements(rawjson.Get(prompt, "arguments")) {
		if name := rawjson.String(argument, "name"); name != "" {
			properties = append(properties, Property{Name: name, Required: string(rawjson.Get(argument, "required")) == "true", Types: []string{"string"}})
		}
	}
	return properties
}

// Property returns the property of that name. A missing one has no type.
func (s Schema) Property(name string) Property {
	if i := slices.IndexFunc(s, func(p Property) bool { return p.Name == name }); i >= 0 {
		return s[i]
	}
	return Property{Name: name}
}

// Types returns the types of JSON Schema that a schema allows, even where it lists
// them as alternatives, as generators do for optional values. It returns nil when the schema
// does not say.
func Types(schema json.RawMessage) []string {
	r := reader{schema, maxReferences}
	return r.property(schema).Types
}

// Convert turns a text into a value of a type that the property allows.
func (p Property) Convert(text string) (json.RawMessage, bool) {
	value := json.RawMessage(rawjson.Quote(text))
	if p.Types != nil && !slices.Contains(p.Types, "string") {
		value = bytes.TrimSpace([]byte(text))
		if rawjson.Check(value) != nil || !p.allows(jsonType(value)) {
			return nil, false
		}
	}
	if p.Enum == nil {
		return value, true
	}
	for allowed := range rawjson.Elements(p.Enum) {
		if string(allowed) == string(value) {
			return value, true
		}
	}
	return nil, false
}

func (p Property) allows(jsonType string) bool {
	return slices.Contains(p.Types, jsonType) || jsonType == "integer" && slices.Contains(p.Types, "number")
}

// jsonType returns the type of a JSON value by its name in JSON Schema.
func jsonType(raw []byte) string {
	switch c := raw[0]; {
	case c == '{':
		return "object"
	case c == '[':
		return "array"
	case c == '"':
		return "string"
	case c == 't' || c == 'f':
		return "boolean"
	case c == 'n':
		return "null"
	case bytes.ContainsAny(raw, ".eE"):
		return "number"
	}
	return "integer"
}
