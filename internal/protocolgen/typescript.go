package main

import (
	"fmt"
	"slices"
	"strings"
)

// maxLine is the longest line that Biome and StyLua allow, as they are configured here.
const maxLine = 120

// typeScript returns the types as a module, formatted as Biome does.
func typeScript(p *proto) string {
	var b strings.Builder
	var mcp []string
	for _, t := range p.Types {
		for _, f := range t.Fields {
			f.Shape.walk(func(s *shape) {
				if s.MCP != "" {
					mcp = append(mcp, s.MCP)
				}
			})
		}
	}
	b.WriteString("// Made by internal/protocolgen from the Go package editorapi; do not edit.\n\n")
	b.WriteString("import type { JsonObject } from './json';\n")
	fmt.Fprintf(&b, "import type { %s } from './mcp';\n", strings.Join(slices.Compact(slices.Sorted(slices.Values(mcp))), ", "))
	for _, t := range p.Types {
		b.WriteString("\n")
		switch {
		case t.Values != nil:
			lines := []string{t.Doc, ""}
			var values []string
			for _, v := range t.Values {
				lines = append(lines, strings.TrimSuffix("- `"+v.Text+"`: "+v.Doc, ": "))
				values = append(values, "'"+v.Text+"'")
			}
			b.WriteString(jsDoc("", lines...))
			line := "export type " + t.Name + " = " + strings.Join(values, " | ") + ";\n"
			if len(line) > maxLine+1 {
				line = "export type " + t.Name + " =\n  | " + strings.Join(values, "\n  | ") + ";\n"
			}
			b.WriteString(line)
		case t.Fields == nil:
			b.WriteString(jsDoc("", t.Doc) + "export type " + t.Name + " = Record<string, never>;\n")
		default:
			b.WriteString(jsDoc("", t.Doc) + "export interface " + t.Name + " {\n")
			for _, f := range t.Fields {
				b.WriteString(jsDoc("  ", sentence(f.Doc)) + "  " + f.name() + ": " + inTypeScript.of(f.Shape) + ";\n")
			}
			b.WriteString("}\n")
		}
	}
	b.WriteString("\n" + jsDoc("", "The params and the result of each request to the daemon.") + "export interface RequestsToDaemon {\n")
	for _, m := range p.Methods {
		if m.Kind == requestToDaemon && !strings.Contains(m.Name, "<") {
			fmt.Fprintf(&b, "%s  '%s': { params: %s; result: %s };\n", jsDoc("  ", m.Doc), m.Name, inTypeScript.of(m.Params), inTypeScript.of(m.Result))
		}
	}
	return b.String() + "}\n"
}

// jsDoc returns a comment with these paragraphs.
func jsDoc(indent string, paragraphs ...string) string {
	var lines []string
	for _, text := range paragraphs {
		lines = append(lines, wrap(strings.ReplaceAll(text, "*/", "*\\/"), maxLine-len(indent+"/**  */"))...)
	}
	switch {
	case slices.Equal(lines, []string{""}):
		return ""
	case len(lines) == 1:
		return indent + "/** " + lines[0] + " */\n"
	}
	b := indent + "/**\n"
	for _, line := range lines {
		b += strings.TrimRight(indent+" * "+line, " ") + "\n"
	}
	return b + indent + " */\n"
}

var inTypeScript = wording{name: tsName, list: "%s[]", all: "Record<string, %s>", or: " | ", any: "unknown"}

func tsName(s *shape) string {
	switch s.Basic {
	case "integer":
		return "number"
	case "object":
		return "JsonObject"
	}
	return s.name()
}
