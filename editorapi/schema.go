package editorapi

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// A schema is what the arguments of a tool or a prompt are, in the order in which
// the server lists them.
type schema []property

// A property is one argument.
type property struct {
	name     string
	required bool
	types    []string // of JSON Schema; nil when the schema does not say
	format   string
	enum     []byte // an array; nil when there is none
}

// toolSchema reads MCP's Tool.inputSchema. References are not followed: a property that is
// one has no type here.
func toolSchema(tool json.RawMessage) schema {
	input := rawjson.Get(tool, "inputSchema")
	var required []string
	for name := range rawjson.Elements(rawjson.Get(input, "required")) {
		var s string
		if json.Unmarshal(name, &s) == nil {
			required = append(required, s)
		}
	}
	var properties schema
	for name, raw := range rawjson.Members(rawjson.Get(input, "properties")) {
		properties = append(properties, property{
			name:     name,
			required: slices.Contains(required, name),
			types:    SchemaTypes(raw),
			format:   rawjson.String(raw, "format"),
			enum:     rawjson.Get(raw, "enum"),
		})
	}
	for _, name := range required { // that nothing else is said about
		if !slices.ContainsFunc(properties, func(p property) bool { return p.name == name }) {
			properties = append(properties, property{name: name, required: true})
		}
	}
	return properties
}

// promptSchema reads MCP's Prompt.arguments. All of them are strings.
func promptSchema(prompt json.RawMessage) schema {
	var properties schema
	for argument := range rawjson.Elements(rawjson.Get(prompt, "arguments")) {
		if name := rawjson.String(argument, "name"); name != "" {
			properties = append(properties, property{name: name, required: isTrue(argument, "required"), types: []string{"string"}})
		}
	}
	return properties
}

// property returns the property of that name; one that is not there has no type.
func (s schema) property(name string) property {
	if i := slices.IndexFunc(s, func(p property) bool { return p.name == name }); i >= 0 {
		return s[i]
	}
	return property{name: name}
}

// SchemaTypes returns the types of JSON Schema that a schema allows, also where it lists
// them as alternatives, as generators do for optional values; nil when it does not say.
func SchemaTypes(schema json.RawMessage) (types []string) {
	add := func(schema []byte) {
		if name := rawjson.String(schema, "type"); name != "" {
			types = append(types, name)
		}
		for name := range rawjson.Elements(rawjson.Get(schema, "type")) {
			var s string
			if json.Unmarshal(name, &s) == nil {
				types = append(types, s)
			}
		}
	}
	add(schema)
	for _, alternatives := range []string{"anyOf", "oneOf"} {
		for alternative := range rawjson.Elements(rawjson.Get(schema, alternatives)) {
			add(alternative)
		}
	}
	return types
}

// convert makes of a text a value of a type that the property allows.
func (p property) convert(text string) (json.RawMessage, bool) {
	value := json.RawMessage(rawjson.Quote(text))
	if p.types != nil && !slices.Contains(p.types, "string") {
		value = bytes.TrimSpace([]byte(text))
		if rawjson.Check(value) != nil || !p.allows(jsonType(value)) {
			return nil, false
		}
	}
	if p.enum == nil {
		return value, true
	}
	for allowed := range rawjson.Elements(p.enum) {
		if string(allowed) == string(value) {
			return value, true
		}
	}
	return nil, false
}

func (p property) allows(jsonType string) bool {
	return slices.Contains(p.types, jsonType) || jsonType == "integer" && slices.Contains(p.types, "number")
}

// jsonType names the type of a JSON value as JSON Schema does.
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
