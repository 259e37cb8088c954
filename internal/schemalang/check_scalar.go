package schemalang

import (
	"fmt"
	"math/big"
	"net/mail"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// scalar checks what is not a map or a list.
func (c checker) scalar(p *part, n *syntax.Node) []finding {
	if v, ok := number(n); ok {
		return bounds(p, n, v)
	}
	if n.Kind == syntax.String {
		return c.words(p, n)
	}
	return nil
}

// bounds checks a number.
func bounds(p *part, n *syntax.Node, v *big.Rat) (found []finding) {
	for _, b := range []struct {
		keyword string
		fits    func(compared int) bool
		words   string
	}{
		{"minimum", func(c int) bool { return c >= 0 }, "at least"},
		{"exclusiveMinimum", func(c int) bool { return c > 0 }, "more than"},
		{"maximum", func(c int) bool { return c <= 0 }, "at most"},
		{"exclusiveMaximum", func(c int) bool { return c < 0 }, "less than"},
	} {
		raw := string(p.keywords[b.keyword])
		if limit, ok := rational(raw); ok && !b.fits(v.Cmp(limit)) {
			found = append(found, wrong(n, "must be %s %s", b.words, raw))
		}
	}
	raw := string(p.keywords["multipleOf"])
	if step, ok := rational(raw); ok && step.Sign() > 0 && !new(big.Rat).Quo(v, step).IsInt() {
		found = append(found, wrong(n, "must be a multiple of %s", raw))
	}
	return found
}

// words checks a text.
func (c checker) words(p *part, n *syntax.Node) []finding {
	found := c.count(p, n, utf8.RuneCountInString(n.Text), "Length", "character", "characters")
	if pattern := p.text("pattern"); pattern != "" && !c.matches(pattern, n.Text) {
		found = append(found, wrong(n, "must match the pattern %s", spelled(p.keywords["pattern"])))
	}
	if f, ok := formats[p.text("format")]; ok && !f.fits(n.Text) {
		f := wrong(n, "this does not look like %s", f.words)
		f.Severity = textdoc.Warning // a format is only a note
		found = append(found, f)
	}
	return found
}

// formats has those that people type, and know when they are told.
var formats = map[string]struct {
	words string
	fits  func(string) bool
}{
	"date":      {"a date; write YYYY-MM-DD", func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }},
	"date-time": {"a date with a time; write YYYY-MM-DDThh:mm:ssZ", func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil }},
	"email":     {"an e-mail address; write NAME@HOST", func(s string) bool { a, err := mail.ParseAddress(s); return err == nil && a.Address == s }},
	"uri":       {"a URI; write SCHEME:…", func(s string) bool { u, err := url.Parse(s); return err == nil && u.Scheme != "" }},
}

// count checks the number of something against the keywords that begin with min and max.
func (c checker) count(p *part, n *syntax.Node, count int, keyword, one, many string) (found []finding) {
	for _, b := range []struct {
		keyword, words string
		fits           func(limit int) bool
	}{
		{"min" + keyword, "at least", func(limit int) bool { return count >= limit }},
		{"max" + keyword, "at most", func(limit int) bool { return count <= limit }},
	} {
		limit, err := strconv.Atoi(string(p.keywords[b.keyword]))
		if err != nil || b.fits(limit) {
			continue
		}
		noun := many
		if limit == 1 {
			noun = one
		}
		found = append(found, wrong(n, "%s", fmt.Sprintf("must have %s %d %s", b.words, limit, noun)))
	}
	return found
}
