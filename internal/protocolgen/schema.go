package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// schema returns a JSON Schema (draft-07) of the type of p that is marked: draft-07 is what the language
// servers of editors for JSON take. Members are in the order of the Go types, which is the order in which
// people read them.
func schema(p *proto) (string, error) {
	var root *typ
	definitions := members{}
	for _, t := range p.Types {
		if t.Marked && root == nil {
			root = t
			continue
		}
		definition, err := schemaOf(t)
		if err != nil {
			return "", err
		}
		definitions.add(t.Name, definition)
	}
	if root == nil {
		return "", fmt.Errorf("no type is marked with //protocolgen:type")
	}
	m := members{}
	m.add("$schema", "http://json-schema.org/draft-07/schema#")
	m.add("$comment", "Made by internal/protocolgen from the Go package config; do not edit.")
	m.add("title", "MCP servers for mcp-editord")
	of, err := schemaOf(root)
	if err != nil {
		return "", err
	}
	m = append(m, of...)
	m.add("definitions", definitions)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return "", err
	}
	return b.String(), nil
}

// schemaOf returns the schema of a type.
func schemaOf(t *typ) (members, error) {
	m := members{}
	m.add("description", t.Doc)
	if t.Values != nil {
		var values, docs []string
		for _, v := range t.Values {
			values, docs = append(values, v.Text), append(docs, v.Doc)
		}
		m.add("type", "string")
		m.add("enum", values)
		if strings.Join(docs, "") != "" {
			m.add("enumDescriptions", docs) // as VS Code and others show beside each value
		}
		return m, nil
	}
	properties := members{}
	var required []string
	for _, f := range t.Fields {
		property, err := propertyOf(f)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Name, f.Name, err)
		}
		properties.add(f.Name, property)
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	m.add("type", "object")
	m.add("properties", properties)
	if required != nil {
		m.add("required", required)
	}
	m.add("additionalProperties", false)
	return m, nil
}

// propertyOf returns the schema of a member: its comment, what its tags say, and its shape.
func propertyOf(f field) (members, error) {
	if f.Doc == "" {
		return nil, fmt.Errorf("it has no comment")
	}
	m := members{}
	m.add("description", f.Doc)
	shape := shapeSchema(f.Shape)
	if f.Shape.Named != "" { // beside $ref, draft-07 ignores everything else
		m.add("allOf", []any{shape})
	} else {
		m = append(m, shape...)
	}
	if values := f.Tag.Get("enum"); values != "" {
		m.add("enum", strings.Split(values, ","))
	}
	for _, name := range []string{"pattern", "minimum", "maximum", "maxLength", "default"} {
		if text := f.Tag.Get(name); text != "" {
			m.add(name, jsonOrText(text))
		}
	}
	if text := f.Tag.Get("example"); text != "" {
		m.add("examples", []any{jsonOrText(text)})
	}
	return m, nil
}

func shapeSchema(s *shape) members {
	m := members{}
	switch {
	case s.Named != "":
		m.add("$ref", "#/definitions/"+s.Named)
	case s.List != nil:
		m.add("type", "array")
		m.add("items", shapeSchema(s.List))
	case s.Map != nil:
		m.add("type", "object")
		m.add("additionalProperties", shapeSchema(s.Map))
	case s.Union != nil:
		var any []members
		for _, one := range s.Union {
			any = append(any, shapeSchema(one))
		}
		m.add("anyOf", any)
	case s.Basic != "":
		m.add("type", s.Basic)
	}
	return m
}

// jsonOrText returns the value of a tag: as JSON if it is an object, a list, a number or a boolean, else
// as a text.
func jsonOrText(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// members is a JSON object in the order in which its members were added.
type members []member

type member struct {
	name  string
	value any
}

func (m *members) add(name string, value any) { *m = append(*m, member{name, value}) }

// MarshalJSON implements [json.Marshaler].
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, each := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(each.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encoder.Encode(each.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
