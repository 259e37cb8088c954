// Package syntax reads YAML and JSON with comments into the same tree, in which every part knows its
// place in the text. It also says where in such a tree a cursor is, though the text around it may not be
// complete: somebody is writing it.
package syntax

import (
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Kind is what a [Node] is.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// A Node is a value in a text.
type Node struct {
	textdoc.Span
	Kind    Kind
	Text    string   // of a scalar: a String without quotes and escapes; all others as they are written
	Plain   bool     // a YAML scalar without quotes: what is a Number or a Bool could have been meant as a text
	Items   []*Node  // of a List
	Members []Member // of a Map, in the order of the text; keys are unique
}

// A Member is a key of a Map with its value.
type Member struct {
	Key     string
	KeySpan textdoc.Span
	Value   *Node // never nil: Null where there is none
}

// Member returns the value of a key; nil when n is not a map that has it.
func (n *Node) Member(key string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}
