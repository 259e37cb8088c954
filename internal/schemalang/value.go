package schemalang

import (
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

// Value returns the JSON of a node. A number, or true and false, written without quotes becomes a text where the schema wants
// a text and nothing of that kind. text is called for each text, and may be nil; its error ends it.
func (s *Schema) Value(n *syntax.Node, text func(string) (string, error)) (json.RawMessage, error) {
	s.begin()
	v := valuer{s, text}
	return v.append(nil, n, s.about([]*part{s.root}))
}

type valuer struct {
	*Schema
	text func(string) (string, error)
}

// append appends a node that these schemas are about.
func (v valuer) append(out []byte, n *syntax.Node, about []*part) (_ []byte, err error) {
	switch n.Kind {
	case syntax.Map:
		out = append(out, '{')
		for i, m := range n.Members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, rawjson.Quote(m.Key)...), ':')
			if out, err = v.append(out, m.Value, v.next(about, syntax.Step{Key: m.Key, Index: -1})); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case syntax.List:
		out = append(out, '[')
		for i, item := range n.Items {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = v.append(out, item, v.next(about, syntax.Step{Index: i})); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case syntax.String:
		text := n.Text
		if v.text != nil {
			if text, err = v.text(text); err != nil {
				return nil, err
			}
		}
		return append(out, rawjson.Quote(text)...), nil
	}
	if n.Plain && v.meantAsText(n, about) {
		return append(out, rawjson.Quote(n.Text)...), nil
	}
	return append(out, n.JSON()...), nil
}

// next returns the schemas of a member or an item. They are none when the schema is too large.
func (v valuer) next(about []*part, step syntax.Step) []*part {
	if len(about) == 0 || v.left <= 0 {
		return nil
	}
	return v.about(v.into(about, step))
}

// meantAsText reports whether schemas want a text where a number or a boolean is written.
func (s *Schema) meantAsText(n *syntax.Node, about []*part) bool {
	types := s.typesOf(about)
	return slices.Contains(types, "string") && n.Kind != syntax.Null &&
		!slices.ContainsFunc(types, func(t string) bool { return t != "string" && is(n, t) })
}
