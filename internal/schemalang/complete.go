package schemalang

import (
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Complete returns what may be written at a place: names of members that are not there yet, those that are required first, or
// values. Where nothing says yet which of them it is, and the schema knows no members, it is values.
func (s *Schema) Complete(p syntax.Place, format syntax.Format) []textdoc.Completion {
	if p.Nothing || p.Block {
		return nil
	}
	s.begin()
	c := completer{s, p, format == syntax.JSONC}
	about := s.at(p.Path)
	if !p.InKey {
		return c.values(about)
	}
	all := c.names(about)
	if len(all) == 0 && len(p.Keys) == 0 && !p.Flow && !p.Colon {
		all = c.values(about)
	}
	return all
}

type completer struct {
	*Schema
	place syntax.Place
	json  bool
}

// names completes the names of members.
func (c completer) names(about []*part) []textdoc.Completion {
	had := map[string]bool{}
	for _, key := range c.place.Keys {
		had[key] = true
	}
	required := requiredBy(about)
	var first, rest []textdoc.Completion
	for _, p := range about {
		c.read(p)
		for _, property := range p.properties {
			if had[property.name] || property.never() {
				continue
			}
			if !c.spend(1) {
				return append(first, rest...)
			}
			had[property.name] = true
			item := c.name(property)
			if required[property.name] {
				item.Detail = strings.TrimPrefix(item.Detail+", required", ", ")
				first = append(first, item)
			} else {
				rest = append(rest, item)
			}
		}
	}
	return append(first, rest...)
}

// requiredBy returns the names that schemas require.
func requiredBy(about []*part) map[string]bool {
	names := map[string]bool{}
	for _, p := range about {
		for _, name := range p.required() {
			names[name] = true
		}
	}
	return names
}

// name completes the name of a member.
func (c completer) name(p property) textdoc.Completion {
	about := c.about([]*part{p.part})
	title, description := described(about)
	if description == "" {
		description = title
	}
	text := c.quoted(p.name, c.json || c.place.Quoted)
	if !c.place.Colon {
		text += ": "
	}
	return c.item(textdoc.Completion{Label: p.name, Kind: textdoc.KindProperty, Detail: oneOf(c.kinds(about)), Documentation: description}, text)
}

// maxInsert is how long a value is at most that somebody may want to have in a line, in bytes.
const maxInsert = 1000

// values completes a value.
func (c completer) values(about []*part) (all []textdoc.Completion) {
	had := map[string]bool{}
	add := func(raw []byte, detail string, kind textdoc.CompletionKind) {
		if raw == nil || !c.spend(1) {
			return
		}
		label := string(rawjson.Compact(raw))
		text, ok := rawjson.Text(raw)
		insert := label
		if ok {
			label = text
			insert = c.quoted(text, c.json || c.place.Quoted)
		}
		if had[insert] || len(insert) > maxInsert || strings.ContainsAny(insert, "\n\r") {
			return
		}
		had[insert] = true
		all = append(all, c.item(textdoc.Completion{Label: label, Kind: kind, Detail: detail}, insert))
	}
	for _, p := range about {
		values, _ := p.allowed()
		for _, v := range values {
			detail := ""
			if string(v) == string(p.keywords["default"]) {
				detail = "default"
			}
			add(v, detail, textdoc.KindEnum)
		}
	}
	if slices.Contains(c.typesOf(about), "boolean") && !slices.ContainsFunc(about, func(p *part) bool { _, listed := p.allowed(); return listed }) {
		add([]byte("true"), "", textdoc.KindValue)
		add([]byte("false"), "", textdoc.KindValue)
	}
	for _, p := range about {
		for _, example := range p.elements("examples") {
			add(example, "example", textdoc.KindValue)
		}
		add(p.keywords["default"], "default", textdoc.KindValue)
	}
	return all
}

// item fills in what a completion does to the text.
func (c completer) item(item textdoc.Completion, text string) textdoc.Completion {
	item.Insert = textdoc.Edit{Span: c.place.Replace, Text: text}
	if c.place.Quoted { // an editor compares it with what it replaces, and that begins with a quote
		item.Filter = text
	}
	return item
}

// quoted returns a text as a scalar.
func (c completer) quoted(text string, always bool) string {
	if always {
		return syntax.Quote(text)
	}
	return syntax.Scalar(text)
}
