package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// schema returns a JSON Schema (draft-07) of the type of p that is marked: draft-07 is what the language
// servers of editors for JSON take. Members are in the order of the Go types, which is the order in which
// people read them.
func schema(p *proto) (string, error) {
	i := slices.IndexFunc(p.Types, func(t *typ) bool { return t.Marked })
	if i < 0 {
		return "", fmt.Errorf("no type is marked with //protocolgen:type")
	}
	var root, definitions jsontext.Value
	add(&root, "$schema", "http://json-schema.org/draft-07/schema#")
	add(&root, "$comment", "Made by internal/protocolgen from the Go package config; do not edit.")
	add(&root, "title", "MCP servers for mcp-editord")
	if err := addType(&root, p.Types[i]); err != nil {
		return "", err
	}
	for _, t := range slices.Delete(slices.Clone(p.Types), i, i+1) {
		var definition jsontext.Value
		if err := addType(&definition, t); err != nil {
			return "", err
		}
		add(&definitions, t.Name, definition)
	}
	add(&root, "definitions", definitions)
	err := root.Indent(jsontext.WithIndent("  "))
	return root.String() + "\n", err
}

// add adds a member to a JSON object, behind those that it has.
func add(o *jsontext.Value, name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts, and lists of them, have JSON
	}
	*o = rawjson.Set(*o, name, text)
}

// addType adds the schema of a type.
func addType(o *jsontext.Value, t *typ) error {
	add(o, "description", t.Doc)
	if t.Values != nil {
		var values, docs []string
		for _, v := range t.Values {
			values, docs = append(values, v.Text), append(docs, v.Doc)
		}
		add(o, "type", "string")
		add(o, "enum", values)
		if strings.Join(docs, "") != "" {
			add(o, "enumDescriptions", docs) // as VS Code and others show beside each value
		}
		return nil
	}
	var properties jsontext.Value
	var required []string
	for _, f := range t.Fields {
		if f.Doc == "" {
			return fmt.Errorf("%s.%s has no comment", t.Name, f.Name)
		}
		add(&properties, f.Name, propertyOf(f))
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	add(o, "type", "object")
	add(o, "properties", properties)
	if required != nil {
		add(o, "required", required)
	}
	add(o, "additionalProperties", false)
	return nil
}

// propertyOf returns the schema of a member: its comment, its shape, and what its tags say.
func propertyOf(f field) (o jsontext.Value) {
	add(&o, "description", f.Doc)
	if f.Shape.Named != "" { // beside $ref, draft-07 ignores everything else
		add(&o, "allOf", []jsontext.Value{shapeSchema(f.Shape)})
	} else {
		addShape(&o, f.Shape)
	}
	if values := f.Tag.Get("enum"); values != "" {
		add(&o, "enum", strings.Split(values, ","))
	}
	for _, name := range []string{"pattern", "minimum", "maximum", "maxLength", "default"} {
		if text := f.Tag.Get(name); text != "" {
			add(&o, name, jsonOrText(text))
		}
	}
	if text := f.Tag.Get("example"); text != "" {
		add(&o, "examples", []any{jsonOrText(text)})
	}
	return o
}

// shapeSchema returns a schema of its own for a shape.
func shapeSchema(s *shape) (o jsontext.Value) {
	addShape(&o, s)
	return o
}

func addShape(o *jsontext.Value, s *shape) {
	switch {
	case s.Named != "":
		add(o, "$ref", "#/definitions/"+s.Named)
	case s.List != nil:
		add(o, "type", "array")
		add(o, "items", shapeSchema(s.List))
	case s.Map != nil:
		add(o, "type", "object")
		add(o, "additionalProperties", shapeSchema(s.Map))
	case s.Union != nil:
		var all []jsontext.Value
		for _, one := range s.Union {
			all = append(all, shapeSchema(one))
		}
		add(o, "anyOf", all)
	case s.Basic != "":
		add(o, "type", s.Basic)
	}
}

// jsonOrText returns the value of a tag: as JSON if it is an object, a list, a number or a boolean, else
// as a text.
func jsonOrText(text string) any {
	if value := jsontext.Value(text); value.IsValid() {
		return value
	}
	return text
}
