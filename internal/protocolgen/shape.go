package main

import (
	"fmt"
	"strings"
)

// A shape is the type of a value. One of its members is set; none means any JSON.
type shape struct {
	Basic string   // string, integer, number, boolean, object
	Named string   // a typ
	MCP   string   // a type of MCP
	List  *shape   // of these
	Map   *shape   // from strings to these
	Union []*shape // one of these
}

// name returns the name of a type that has one, else "".
func (s *shape) name() string { return s.Basic + s.Named + s.MCP }

// walk calls f for the shape and those inside it.
func (s *shape) walk(f func(*shape)) {
	if s == nil {
		return
	}
	f(s)
	s.List.walk(f)
	s.Map.walk(f)
	for _, one := range s.Union {
		one.walk(f)
	}
}

// A wording writes shapes for a kind of readers.
type wording struct {
	name      func(*shape) string // of one that has a name
	list, all string              // formats: of a list, and of a map from strings
	or, any   string
}

func (w wording) of(s *shape) string {
	switch {
	case s.List != nil:
		return fmt.Sprintf(w.list, w.of(s.List))
	case s.Map != nil:
		return fmt.Sprintf(w.all, w.of(s.Map))
	case s.Union != nil:
		var said []string
		for _, one := range s.Union {
			said = append(said, w.of(one))
		}
		return strings.Join(said, w.or)
	case s.name() == "":
		return w.any
	}
	return w.name(s)
}
