package main

import "strings"

// A shape is the type of a value. One of its members is set; none means any JSON.
type shape struct {
	Basic string   // string, integer, number, boolean, object
	Named string   // a typ
	MCP   string   // a type of MCP
	List  *shape   // of these
	Map   *shape   // from strings to these
	Union []*shape // one of these
}

// name returns the name of a type that has one, else unknown.
func (s *shape) name(unknown string) string {
	if name := s.Basic + s.Named + s.MCP; name != "" {
		return name
	}
	return unknown
}

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

func joined(shapes []*shape, say func(*shape) string, between string) string {
	var said []string
	for _, s := range shapes {
		said = append(said, say(s))
	}
	return strings.Join(said, between)
}
