package schemalang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

// Hover returns what there is to know about the value that a path leads to. It is not ok when the schema says nothing of it.
func (s *Schema) Hover(path []syntax.Step) (text string, ok bool) {
	s.begin()
	about := s.at(path)
	var paragraphs, facts []string
	title, description := described(about)
	for _, t := range []string{title, description} {
		if t != "" && !slices.Contains(paragraphs, t) {
			paragraphs = append(paragraphs, t)
		}
	}
	if words := s.kinds(about); len(words) > 0 {
		facts = append(facts, "Type: "+oneOf(words))
	}
	var values []string
	for _, p := range about {
		allowed, _ := p.allowed()
		for _, v := range allowed {
			if word := spelled(v); !slices.Contains(values, word) && s.spend(1+len(values)/10) {
				values = append(values, word)
			}
		}
	}
	if len(values) > 0 {
		facts = append(facts, "Allowed: "+oneOf(values))
	}
	for _, p := range about {
		if v := p.keywords["default"]; v != nil {
			facts = append(facts, "Default: "+spelled(v))
			break
		}
	}
	for _, p := range about {
		var examples []string
		for _, e := range p.elements("examples") {
			if len(examples) < 3 {
				examples = append(examples, spelled(e))
			}
		}
		if examples != nil {
			facts = append(facts, "Examples: "+strings.Join(examples, ", "))
			break
		}
	}
	if n := len(path); n > 0 && path[n-1].Index < 0 && requiredBy(s.at(path[:n-1]))[path[n-1].Key] {
		facts = append(facts, "Required")
	}
	if len(facts) > 0 {
		paragraphs = append(paragraphs, strings.Join(facts, "\n"))
	}
	return strings.Join(paragraphs, "\n\n"), len(paragraphs) > 0
}

// described returns the first title and the first description of schemas.
func described(about []*part) (title, description string) {
	for _, p := range about {
		title = cmp.Or(title, strings.TrimSpace(p.text("title")))
		description = cmp.Or(description, strings.TrimSpace(p.text("description")))
	}
	return title, description
}

// kinds returns the types that schemas allow together, in words.
func (s *Schema) kinds(about []*part) (words []string) {
	for _, t := range s.typesOf(about) {
		if word := typeWords[t]; word != "" {
			words = append(words, word)
		}
	}
	return words
}
