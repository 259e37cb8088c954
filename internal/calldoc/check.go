package calldoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// The bounds of [Document.Check].
const (
	maxChecked  = 500 // calls
	maxProblems = 1000
)

// Check returns what is wrong with the document: errors where a call would fail.
func (d *Document) Check(c Catalog) []textdoc.Problem {
	problems := slices.Clone(d.problems)
	b := newBook(c)
	for i, call := range d.calls {
		if i == maxChecked {
			problems = append(problems, problem(call.firstLine(), textdoc.Info, "only the first %d calls of a document are checked", maxChecked))
			break
		}
		problems = append(problems, call.check(b)...)
		if len(problems) > maxProblems {
			problems = append(problems[:maxProblems], problem(call.firstLine(), textdoc.Info, "from here on nothing is checked: %d problems are enough", maxProblems))
			break
		}
	}
	return problems
}

func (c *Call) check(b *book) []textdoc.Problem {
	if c.Broken || len(c.problems) > 0 {
		return c.problems // those of the syntax are the document's
	}
	problems := c.checkTarget(b)
	if c.Kind != Answer {
		problems = append(problems, c.valueless(c.hasContext)...)
	}
	if c.Kind == Resource {
		return problems
	}
	schema := b.schema(c)
	if schema == nil {
		return problems
	}
	with := c.checkable(b.definition(c))
	blanks := map[textdoc.Span]syntax.Member{}
	for _, m := range with.Members {
		if blank(m.Value) {
			blanks[m.Value.Span] = m
		}
	}
	for _, p := range schema.Check(with) {
		if m, ok := blanks[p.Span]; ok {
			p.Span, p.Message = m.KeySpan, fmt.Sprintf("%q needs a value", m.Key)
		}
		problems = append(problems, p)
	}
	if c.Kind != Answer {
		problems = append(problems, c.strangers(schema)...)
	}
	return problems
}

// hasContext reports whether the document gives what a variable needs. Whether a folder is open, it does not know.
func (c *Call) hasContext(name string) (string, bool) {
	v := variableOf(name)
	return "", !(v.needs == memberFile && c.File == "" || v.needs == memberLines && c.FirstLine == 0)
}

// checkTarget looks for the server, and for what is called there.
func (c *Call) checkTarget(b *book) []textdoc.Problem {
	if c.Kind == Answer {
		switch q, ok := b.Question(c.Target); {
		case !ok:
			return []textdoc.Problem{problem(c.TargetSpan, textdoc.Warning, "this question is no longer open")}
		case q.Ended != "":
			return []textdoc.Problem{problem(c.TargetLine(), textdoc.Info, "%s", q.Ended)}
		}
		return nil
	}
	name, item := c.Resolve(b.names)
	server, ok := b.server(name)
	switch {
	case !ok:
		return []textdoc.Problem{problem(c.TargetSpan, textdoc.Error, "there is no server %q%s", name, b.suggestion(name, b.names))}
	case !server.Ready:
		return []textdoc.Problem{problem(c.TargetSpan, textdoc.Info, "server %q is not ready (%s)", name, server.State)}
	case c.Kind == Resource:
		return nil
	}
	list := b.list(c.Kind, name)
	if _, ok := list[item]; ok {
		return nil
	}
	return []textdoc.Problem{problem(c.TargetSpan, textdoc.Error, "server %q has no %s %q%s", name, c.Kind.Noun(), item, b.suggestion(item, slices.Sorted(maps.Keys(list))))}
}

// checkable returns "with" without the optional members for which nothing is written.
func (c *Call) checkable(definition json.RawMessage) *syntax.Node {
	if c.with == nil {
		return &syntax.Node{Span: c.TargetSpan, Kind: syntax.Map}
	}
	required := map[string]bool{}
	for name := range rawjson.Elements(rawjson.Get(c.Kind.Schema(definition), "required")) {
		text, _ := rawjson.Text(name)
		required[text] = true
	}
	return withoutBlanks(c.with, required)
}

// strangers warns of arguments that a prompt does not have, which servers leave out, and of those of a tool whose schema does
// not know them, where another one is probably meant.
func (c *Call) strangers(schema *schemalang.Schema) (problems []textdoc.Problem) {
	if c.with == nil {
		return nil
	}
	var keys []string
	at := map[string]textdoc.Span{}
	for _, m := range c.with.Members {
		keys, at[m.Key] = append(keys, m.Key), m.KeySpan
	}
	for _, s := range schema.Strangers(keys) {
		if s.Refused || c.Kind == Tool && s.Meant == "" {
			continue
		}
		advice := ""
		if s.Meant != "" {
			advice = fmt.Sprintf("; did you mean %q?", s.Meant)
		}
		problems = append(problems, problem(at[s.Key], textdoc.Warning, "the %s has no argument %q%s", c.Kind.Noun(), s.Key, advice))
	}
	return problems
}
