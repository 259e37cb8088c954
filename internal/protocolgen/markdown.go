package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxInline is how many members a struct may have to be described beside its method, when only
// methods use it.
const maxInline = 4

// markdown makes the generated parts of a document.
type markdown struct {
	p      *proto
	inline map[string]*typ // by name
	placed map[string]bool // types that have their own part in the document
}

// fillMarkdown puts the generated parts into a document.
func fillMarkdown(text string, p *proto) (string, error) {
	const begin, end = "<!-- made of editorapi: ", "<!-- end -->\n"
	m := &markdown{p: p, inline: inlined(p), placed: map[string]bool{}}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, begin+"type "); ok {
			m.placed[strings.TrimSuffix(name, " -->\n")] = true
		}
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, begin)
		if !ok {
			return b.String() + text, nil
		}
		part, rest, ok := strings.Cut(rest, " -->\n")
		_, after, also := strings.Cut(rest, end)
		if !ok || !also {
			return "", fmt.Errorf("the part %.30q has no end", part)
		}
		made, err := m.part(part)
		if err != nil {
			return "", err
		}
		b.WriteString(before + begin + part + " -->\n" + made + end)
		text = after
	}
}

// inlined returns the structs that are described beside their method.
func inlined(p *proto) map[string]*typ {
	found := map[string]*typ{}
	for _, t := range p.Types {
		if t.Values == nil && len(t.Fields) <= maxInline && !t.Marked {
			found[t.Name] = t
		}
	}
	for _, t := range p.Types {
		for _, f := range t.Fields {
			f.Shape.walk(func(s *shape) { delete(found, s.Named) })
		}
	}
	return found
}

func (m *markdown) part(name string) (string, error) {
	switch name {
	case requestToDaemon, requestToEditor, notificationToEditor:
		return m.methods(name), nil
	case "types":
		return m.types(func(t *typ) bool { return !t.Marked && !m.placed[t.Name] && m.inline[t.Name] == nil }), nil
	case "kinds of errors":
		return m.errors()
	}
	if one, ok := strings.CutPrefix(name, "type "); ok {
		if i := slices.IndexFunc(m.p.Types, func(t *typ) bool { return t.Name == one }); i >= 0 {
			return m.table(m.p.Types[i]), nil
		}
	}
	return "", fmt.Errorf("unknown part %q", name)
}

// methods returns the table of the editord/… methods of a kind. It leaves out mcp/…, which are
// MCP's.
func (m *markdown) methods(kind string) string {
	b := "| method | params | result | |\n|---|---|---|---|\n"
	if kind == notificationToEditor {
		b = "| method | params | |\n|---|---|---|\n"
	}
	for _, method := range m.p.Methods {
		if method.Kind != kind || !strings.HasPrefix(method.Name, "editord/") {
			continue
		}
		cells := []string{"`" + method.Name + "`", m.message(method.Params)}
		if method.Result != nil {
			cells = append(cells, m.message(method.Result))
		}
		b += row(append(cells, method.Doc)...)
	}
	return b
}

// message returns params or a result: its members if it is inline, else its name.
func (m *markdown) message(s *shape) string {
	t := m.inline[s.Named]
	if t == nil {
		return m.say(s)
	}
	var members, docs []string
	for _, f := range t.Fields {
		member := f.name()
		f.Shape.walk(func(inner *shape) {
			if inner.Named+inner.MCP != "" {
				member = f.name() + ": " + inExample.of(f.Shape)
			}
		})
		members = append(members, member)
		if f.Doc != "" {
			docs = append(docs, "`"+f.Name+"`: "+f.Doc)
		}
	}
	text := "`{" + strings.Join(members, ", ") + "}`"
	if docs != nil {
		text += "<br>" + strings.Join(docs, "<br>")
	}
	return text
}

func (f field) name() string {
	if f.Optional {
		return f.Name + "?"
	}
	return f.Name
}

// types returns the tables of all wanted types, each under a heading.
func (m *markdown) types(wanted func(*typ) bool) string {
	var b strings.Builder
	for _, t := range m.p.Types {
		if wanted(t) {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s", t.Name, t.Doc, m.table(t))
		}
	}
	return b.String() + "\n"
}

// table returns the members of a struct, or the values of a string.
func (m *markdown) table(t *typ) string {
	if t.Values != nil {
		b := "| value | |\n|---|---|\n"
		for _, v := range t.Values {
			b += row("`"+v.Text+"`", v.Doc)
		}
		return b
	}
	b := "| member | type | |\n|---|---|---|\n"
	for _, f := range t.Fields {
		b += row("`"+f.name()+"`", m.say(f.Shape), f.Doc)
	}
	return b
}

// errors returns the table of the kinds of the daemon's own errors, with their codes.
func (m *markdown) errors() (string, error) {
	b := "| kind | code | |\n|---|---|---|\n"
	i := slices.IndexFunc(m.p.Types, func(t *typ) bool { return t.Name == "ErrorKind" })
	if i < 0 || m.p.Codes[""] == "" {
		return "", fmt.Errorf("the type ErrorKind is missing, or its method Code has no default")
	}
	for _, v := range m.p.Types[i].Values {
		b += row("`"+v.Text+"`", cmp.Or(m.p.Codes[v.Text], m.p.Codes[""]), v.Doc)
	}
	return b, nil
}

func row(cells ...string) string {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |\n", "|  |", "| |")
}

// say describes a type in words, with links to types that have a table.
func (m *markdown) say(s *shape) string {
	return wording{list: "list of %s", all: "object of %s", or: " or ", any: "any", name: func(s *shape) string {
		switch {
		case s.Named != "" && m.inline[s.Named] == nil && !m.placed[s.Named]:
			return "[" + s.Named + "](#" + strings.ToLower(s.Named) + ")"
		case s.MCP != "":
			return "MCP's " + s.MCP
		}
		return s.name()
	}}.of(s)
}

// inExample describes a type the way an example would.
var inExample = wording{name: (*shape).name, list: "[%s]", all: "{string: %s}", or: " | ", any: "any"}
