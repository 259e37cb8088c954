package mcpserver

import "strings"

// maxTemplateSteps bounds the work of looking for a URI among all templates: some milliseconds. When
// it is used up, templates count by the text before their first expression.
const maxTemplateSteps = 1_000_000

// A template is a URI template (RFC 6570), as far as needed to tell whether a URI comes from it.
type template struct {
	prefix string // the text before the first expression
	parts  []part // what follows
}

// A part is a literal or an expression.
type part struct {
	literal  string // "" for an expression
	operator byte   // of the expression; 0 for none
}

// parseTemplate takes any text. A brace that is not closed is a literal.
func parseTemplate(s string) (t template) {
	for s != "" {
		open := strings.IndexByte(s, '{')
		length := strings.IndexByte(s[max(open, 0):], '}')
		if open < 0 || length < 0 {
			open, length = len(s), 0
		}
		if literal := s[:open]; literal != "" {
			t.parts = append(t.parts, part{literal: literal})
		}
		if s = s[open:]; s == "" {
			break
		}
		expression := part{}
		if length > 1 && strings.IndexByte("+#./;?&", s[1]) >= 0 {
			expression.operator = s[1]
		}
		t.parts = append(t.parts, expression)
		s = s[length+1:]
	}
	if len(t.parts) > 0 && t.parts[0].literal != "" {
		t.prefix, t.parts = t.parts[0].literal, t.parts[1:]
	}
	return t
}

// fit says how well a template fits a URI. The zero value: not at all.
type fit struct {
	whole  bool // the template matches all of it
	prefix int  // bytes before the first expression
}

func (f fit) less(g fit) bool {
	return !f.whole && g.whole || f.whole == g.whole && f.prefix < g.prefix
}

// fit subtracts what it took from steps.
func (t template) fit(uri string, steps *int) fit {
	if !strings.HasPrefix(uri, t.prefix) {
		return fit{}
	}
	return fit{t.matches(uri, steps), len(t.prefix)}
}

// matches reports whether all of uri can come from t. It keeps every place where a part may end, so
// that no template makes it try again.
func (t template) matches(uri string, steps *int) bool {
	uri = uri[len(t.prefix):]
	from, to := make([]bool, len(uri)+1), make([]bool, len(uri)+1)
	from[0] = true
	for _, p := range t.parts {
		if *steps -= (len(uri) + 1) * (len(p.literal) + 1); *steps < 0 {
			return false
		}
		clear(to)
		if p.literal != "" {
			for i := range len(uri) {
				if from[i] && strings.HasPrefix(uri[i:], p.literal) {
					to[i+len(p.literal)] = true
				}
			}
		} else {
			p.expand(uri, from, to)
		}
		from, to = to, from
	}
	return from[len(uri)]
}

// expand marks in to where the expression p may end when it begins where from says (RFC 6570, 3.2.1).
// Values without an operator have no slash, although nothing keeps a server from giving one a meaning.
func (p part) expand(uri string, from, to []bool) {
	stops := ""
	first := p.operator // what a value begins with
	switch p.operator {
	case '+', '#':
	case '?', '&':
		stops = "#"
	case '/':
		stops = "?#"
	default:
		stops = "/?#"
	}
	if first == '+' {
		first = 0
	}
	on := false
	for i := range len(uri) + 1 {
		operator := from[i] && first != 0 && i < len(uri) && uri[i] == first
		on = on || operator || from[i] && first == 0
		to[i] = on || from[i] // an expression without a value is empty
		if on && !operator && i < len(uri) && strings.IndexByte(stops, uri[i]) >= 0 {
			on = false
		}
	}
}
