package main

import (
	"fmt"
	"slices"
	"strings"
)

// lua returns the types as LuaCATS annotations.
func lua(p *proto) string {
	var b strings.Builder
	b.WriteString("---@meta\n--- Made by internal/protocolgen from the Go package editorapi; do not edit.\n")
	for _, t := range p.Types {
		b.WriteString("\n")
		for _, line := range wrap(t.Doc, maxLine-len("--- ")) {
			b.WriteString("--- " + line + "\n")
		}
		if t.Values != nil {
			b.WriteString("---@alias mcp-editord." + t.Name + "\n")
			for _, v := range t.Values {
				b.WriteString(strings.TrimSuffix(fmt.Sprintf("---| '%s' # %s", v.Text, v.Doc), " # ") + "\n")
			}
			continue
		}
		b.WriteString("---@class mcp-editord." + t.Name + "\n")
		for _, f := range t.Fields {
			name, doc := f.Name, f.Doc
			if slices.Contains(luaKeywords, name) {
				name = `["` + name + `"]`
			}
			if f.Optional {
				name += "?"
			}
			f.Shape.walk(func(s *shape) {
				if s.MCP != "" {
					doc = strings.TrimSuffix("MCP's "+s.MCP+"; "+doc, "; ")
				}
			})
			b.WriteString(strings.TrimSpace("---@field "+name+" "+inLua.of(f.Shape)+" "+doc) + "\n")
		}
	}
	return b.String()
}

var luaKeywords = strings.Fields("and break do else elseif end false for function goto if in local nil not or " +
	"repeat return then true until while")

var inLua = wording{name: luaName, list: "%s[]", all: "table<string, %s>", or: "|", any: "any"}

func luaName(s *shape) string {
	switch {
	case s.Basic == "object":
		return "table<string, any>"
	case s.MCP != "":
		return "table"
	case s.Named != "":
		return "mcp-editord." + s.Named
	}
	return s.Basic
}
