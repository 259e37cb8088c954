package schemalang

import (
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/nearname"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

// about returns all schemas that say something about a value which the given ones are about: what they refer to, combine and
// list as alternatives. Each is there once, whatever leads to it.
func (s *Schema) about(parts []*part) (all []*part) {
	seen := map[*part]bool{}
	var add func(p *part, depth int)
	add = func(p *part, depth int) {
		if p == nil || seen[p] || depth == maxInPlace || len(all) == maxAtOnce || !s.spend(1) {
			return
		}
		seen[p] = true
		all = append(all, p)
		add(s.referred(p), depth+1)
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			for _, one := range s.list(p, keyword) {
				add(one, depth+1)
			}
		}
		for _, keyword := range []string{"then", "else"} {
			add(s.part(p.keywords[keyword]), depth+1)
		}
	}
	for _, p := range parts {
		add(p, 0)
	}
	return all
}

// at returns all schemas about the value that a path leads to.
func (s *Schema) at(path []syntax.Step) []*part {
	all := s.about([]*part{s.root})
	for _, step := range path {
		all = s.about(s.into(all, step))
	}
	return all
}

// into returns the schemas of a member or an item, from those about its map or list.
func (s *Schema) into(all []*part, step syntax.Step) (next []*part) {
	for _, p := range all {
		switch {
		case !s.spend(1):
			return nil
		case step.Index >= 0:
			next = append(next, s.item(p, step.Index))
		default:
			next = append(next, s.member(p, step.Key)...)
		}
	}
	return slices.DeleteFunc(next, func(p *part) bool { return p == nil })
}

// member returns what a schema itself says about the member with a key.
func (s *Schema) member(p *part, key string) (all []*part) {
	s.read(p)
	if named := p.byName[key]; named != nil {
		all = append(all, named)
	}
	for _, pattern := range p.patterns {
		if !s.spend(1) {
			return all
		}
		if s.matches(pattern.name, key) {
			all = append(all, pattern.part)
		}
	}
	if more := p.keywords["additionalProperties"]; all == nil && more != nil {
		all = append(all, s.part(more))
	}
	return all
}

// A Stranger is a member about which a schema says nothing, or no more than that it is not allowed.
type Stranger struct {
	Key, Meant string // Meant is the one that probably is; "" for none
	Refused    bool   // [Schema.Check] says that it is not allowed
}

// Strangers returns those of the keys of a map that are strangers to the schema. JSON Schema allows them unless told
// otherwise, and hardly any server tells, but leaves them out without a word. A schema that names no members has no
// strangers, and neither has one that is too large to search.
func (s *Schema) Strangers(keys []string) (strangers []Stranger) {
	s.begin()
	all := s.about([]*part{s.root})
	has := make(map[string]bool, len(keys))
	for _, key := range keys {
		has[key] = true
	}
	var names []string // of members that are not there
	named := false
	for _, p := range all {
		s.read(p)
		named = named || p.keywords["properties"] != nil
		for _, property := range p.properties {
			if s.spend(1) && !has[property.name] {
				names = append(names, property.name)
			}
		}
	}
	if !named {
		return nil
	}
	for _, key := range keys {
		stranger, known := Stranger{Key: key}, false
		if !s.spend(len(all)) {
			return nil
		}
		for _, p := range all {
			for _, about := range s.member(p, key) {
				stranger.Refused = stranger.Refused || about.never()
				known = known || !about.never()
			}
		}
		if !known && s.spend(len(names)) {
			stranger.Meant = nearname.Of(key, names)
			strangers = append(strangers, stranger)
		}
	}
	return strangers
}

// item returns what a schema itself says about an item; nil when it says nothing.
func (s *Schema) item(p *part, index int) *part {
	first, rest := "prefixItems", "items"
	if items := p.keywords["items"]; len(items) > 0 && items[0] == '[' { // draft 7
		first, rest = "items", "additionalItems"
	}
	if fixed := p.elements(first); index < len(fixed) {
		return s.part(fixed[index])
	}
	return s.part(p.keywords[rest])
}
