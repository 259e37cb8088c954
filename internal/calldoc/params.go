package calldoc

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Params returns the params of the request that a call is, or the content of an [Answer]. definition is what
// the server says about the tool or the prompt, or the schema of the question; variable gives the values of variables
// (see [Workspace.Values]). With problems, there are no params. Whether the arguments are right, the server judges.
func (c *Call) Params(definition json.RawMessage, variable func(name string) (string, bool)) (json.RawMessage, []textdoc.Problem) {
	problems := c.Problems()
	expanded := func(s string) string { return s } // there are no variables in what a person says
	if c.Kind != Answer {
		problems = append(problems, c.valueless(variable)...) // from here on, all of them have values
		expanded = func(s string) string {
			return expand(s, func(name string) string {
				value, _ := variable(name)
				return value
			})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if c.Kind == Resource {
		return rawjson.Set(nil, "uri", rawjson.Quote(expanded(c.URI))), nil
	}
	arguments := json.RawMessage("{}")
	if with := withoutBlanks(c.with, nil); with != nil {
		var err error
		if arguments, err = schemalang.Compile(c.Kind.Schema(definition)).Value(with, func(s string) (string, error) { return expanded(s), nil }); err != nil {
			return nil, []textdoc.Problem{problem(c.with.Span, textdoc.Error, "%v", err)}
		}
	}
	if c.Kind == Answer {
		return arguments, nil
	}
	name := rawjson.String(definition, "name")
	if name == "" {
		_, name = c.Resolve(nil)
	}
	return rawjson.Set(rawjson.Set(nil, "name", rawjson.Quote(name)), "arguments", arguments), nil
}

// Schema returns the JSON Schema of "with".
func (k Kind) Schema(definition json.RawMessage) json.RawMessage {
	switch k {
	case Tool:
		return rawjson.Get(definition, "inputSchema")
	case Prompt:
		return promptSchema(definition)
	}
	return definition
}

// promptSchema returns the arguments of MCP's Prompt as a JSON Schema. All of them are strings.
func promptSchema(prompt json.RawMessage) json.RawMessage {
	properties, required, seen := []byte{'{'}, []byte{'['}, map[string]bool{}
	for argument := range rawjson.Elements(rawjson.Get(prompt, "arguments")) {
		name, ok := rawjson.Text(rawjson.Get(argument, "name"))
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		property := json.RawMessage(`{"type":"string"}`)
		for _, member := range []string{"title", "description"} {
			if text := rawjson.Get(argument, member); text != nil {
				property = rawjson.Set(property, member, text)
			}
		}
		properties = append(append(append(comma(properties), rawjson.Quote(name)...), ':'), property...)
		if string(rawjson.Get(argument, "required")) == "true" {
			required = append(comma(required), rawjson.Quote(name)...)
		}
	}
	return fmt.Appendf(nil, `{"type":"object","properties":%s},"required":%s]}`, properties, required)
}

// comma returns the beginning of an object or a list, ready for the next element.
func comma(b []byte) []byte {
	if len(b) > 1 {
		return append(b, ',')
	}
	return b
}

// withoutBlanks returns a node without the members for which nothing is written: they are not given. Those in kept stay.
// It leaves n as it is; nil stays nil.
func withoutBlanks(n *syntax.Node, kept map[string]bool) *syntax.Node {
	if n == nil || n.Kind != syntax.Map {
		return n
	}
	given := *n
	given.Members = nil
	for _, m := range n.Members {
		if !blank(m.Value) || kept[m.Key] {
			m.Value = withoutBlanks(m.Value, nil)
			given.Members = append(given.Members, m)
		}
	}
	return &given
}
