package main

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// describe prints what a server says of a tool, and a call of it that can be pasted into a shell.
func (s *session) describe(ctx context.Context, server, name string) error {
	if err := s.start(ctx, server); err != nil {
		return err
	}
	tool, err := s.definition(ctx, calldoc.Tool, server, name)
	if err != nil {
		return err
	}
	if s.json {
		return s.printRaw(tool)
	}
	about := cmp.Or(rawjson.String(tool, "description"), rawjson.String(tool, "title"), name)
	if err := write(s.stdout, strings.TrimSpace(safetext.Block(about))+"\n\n"); err != nil {
		return err
	}
	schema := toolschema.OfTool(tool)
	properties := rawjson.Path(tool, "inputSchema", "properties")
	t := &table{}
	t.row("ARGUMENT", "TYPE", "REQUIRED", "DEFAULT", "VALUES", "DESCRIPTION")
	for _, p := range schema {
		raw := rawjson.Get(properties, p.Name)
		required, values := "", []string{}
		if p.Required {
			required = "yes"
		}
		for _, value := range valuesOf(p, raw) {
			values = append(values, rawjson.Bare(value))
		}
		cells := []string{p.Name, cmp.Or(strings.Join(p.Types, " or "), "any"), required,
			string(rawjson.OneLine(rawjson.Get(raw, "default"))), strings.Join(values, ", "), firstLine(p.Description)}
		for i := range cells {
			cells[i] = cmp.Or(cells[i], "-")
		}
		t.row(cells...)
	}
	if err := t.write(s.stdout, ""); err != nil {
		return err
	}
	return write(s.stdout, "\n"+exampleCall(server, name, schema, properties)+"\n")
}

// valuesOf returns the values that a property may have, where its schema lists them.
func valuesOf(p toolschema.Property, raw json.RawMessage) (values [][]byte) {
	for _, choice := range calldoc.Choices(raw) {
		values = append(values, choice.Value)
	}
	listed := p.Enum
	if slices.Equal(p.Types, []string{"boolean"}) {
		listed = []byte("[true, false]")
	}
	if values == nil {
		values = slices.Collect(rawjson.Elements(listed))
	}
	return values
}

// oddName reports whether name=value would be read as something else.
func oddName(name string) bool {
	return name == "" || strings.ContainsAny(name[:1], "-{") || strings.Contains(name, "=") || strings.HasSuffix(name, ":")
}

// exampleCall returns a call of a tool with a plausible value for each argument that it needs, for a shell.
func exampleCall(server, name string, schema toolschema.Schema, properties json.RawMessage) string {
	arguments, words, odd := json.RawMessage("{}"), "", false
	for _, p := range schema {
		if !p.Required {
			continue
		}
		value := exampleOf(p, rawjson.Get(properties, p.Name))
		arguments = rawjson.Set(arguments, p.Name, value)
		odd = odd || oddName(p.Name)
		text, is := rawjson.Bare(value), "="
		if converted, ok := p.Convert(text); !ok || string(converted) != string(value) {
			text, is = string(rawjson.OneLine(value)), ":="
		} else if strings.HasPrefix(text, "@") {
			text = "@" + text
		}
		words += " " + safetext.ShellWord(p.Name) + is + safetext.ShellWord(text)
	}
	if odd {
		words = " " + safetext.ShellWord(string(arguments))
	}
	return "mcp-editord call " + safetext.ShellWord(server) + " " + safetext.ShellWord(name) + words
}

// exampleOf returns a value for a property: one that its schema names, else one of its format or type.
func exampleOf(p toolschema.Property, raw json.RawMessage) json.RawMessage {
	for example := range rawjson.Elements(rawjson.Get(raw, "examples")) {
		return example
	}
	if value := rawjson.Get(raw, "default"); value != nil {
		return value
	}
	if values := valuesOf(p, raw); len(values) > 0 {
		return values[0]
	}
	known := map[string]string{
		"integer": "1", "number": "1", "array": "[]", "object": "{}",
		"date": `"2026-01-31"`, "date-time": `"2026-01-31T12:00:00Z"`,
		"email": `"me@example.com"`, "uri": `"https://example.com"`,
	}
	kind := append(slices.Clone(p.Types), "string")[0]
	return json.RawMessage(cmp.Or(string(rawjson.Get(raw, "minimum")), known[kind], known[p.Format],
		string(rawjson.Quote(p.Name))))
}
