package calldoc

import (
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// maxDetail is how many characters the detail of a symbol or a completion has.
const maxDetail = 80

// Symbols returns one symbol for each call.
func (d *Document) Symbols() []textdoc.Symbol {
	symbols := make([]textdoc.Symbol, 0, len(d.calls))
	for _, c := range d.calls {
		s := textdoc.Symbol{Span: c.Span, Name: c.Target, Kind: textdoc.SymbolFunction, Select: c.TargetSpan}
		switch c.Kind {
		case Resource:
			s.Kind, s.Detail = textdoc.SymbolFile, c.URI
		case Answer:
			s.Kind = textdoc.SymbolEvent
		}
		if c.with != nil && s.Detail == "" {
			walk(c.with, func(n *syntax.Node) bool {
				s.Detail = n.Text
				return s.Detail == ""
			})
		}
		if s.Name == "" {
			s.Name = "(nothing is called)"
		}
		s.Detail = safetext.Line(s.Detail, maxDetail)
		symbols = append(symbols, s)
	}
	return symbols
}
