package schemalang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/nearname"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// maxProblems is how many problems there are at most.
const maxProblems = 100

// Check returns what is wrong with a node. There is one problem for one cause; of alternatives none of which fits, the one
// that fits best is taken. Of a text with a variable only the presence counts. When the schema is too large or too deep to
// check in reasonable time, there are no problems.
func (s *Schema) Check(n *syntax.Node) []textdoc.Problem {
	if n == nil {
		return nil
	}
	s.begin()
	c := checker{Schema: s}
	found := c.check(s.root, n, 0)
	if s.left <= 0 {
		return nil
	}
	var problems []textdoc.Problem
	seen := map[textdoc.Problem]bool{}
	for _, f := range found {
		p := f.Problem
		if f.must != nil {
			p.Message = "must be " + oneOf(f.must)
		}
		if !seen[p] && len(problems) < maxProblems {
			seen[p] = true
			problems = append(problems, p)
		}
	}
	slices.SortStableFunc(problems, func(a, b textdoc.Problem) int { return a.Start - b.Start })
	return problems
}

// A finding is a problem as it is found. must has what the value could be, where it is of the wrong kind or not among those allowed:
// alternatives of it are joined.
type finding struct {
	textdoc.Problem
	node *syntax.Node
	must []string
}

type checker struct {
	*Schema
}

func wrong(n *syntax.Node, format string, args ...any) finding {
	return finding{Problem: textdoc.Problem{Span: n.Span, Severity: textdoc.Error, Message: fmt.Sprintf(format, args...)}, node: n}
}

// check returns what a schema finds wrong with a node. depth counts the schemas that are about the same node.
func (c checker) check(p *part, n *syntax.Node, depth int) (found []finding) {
	if p == nil || depth == maxInPlace || !c.spend(1+len(p.types)+len(n.Text)/1000) || n.Kind == syntax.String && strings.Contains(n.Text, "${") {
		return nil
	}
	if p.never() {
		return []finding{wrong(n, "nothing may stand here; remove it")}
	}
	if to := c.referred(p); to != nil {
		found = c.check(to, n, depth+1)
	}
	if p.types != nil && !slices.ContainsFunc(p.types, func(t string) bool { return is(n, t) }) {
		f := wrong(n, "")
		for _, t := range p.types {
			f.must = append(f.must, typeWords[t])
		}
		return append(found, f)
	}
	if f, ok := c.among(p, n); !ok {
		return append(found, f)
	}
	switch n.Kind {
	case syntax.Map:
		found = append(found, c.object(p, n)...)
	case syntax.List:
		found = append(found, c.array(p, n)...)
	default:
		found = append(found, c.scalar(p, n)...)
	}
	found = append(found, c.combined(p, n, depth+1)...)
	return found[:min(len(found), maxProblems)]
}

// among reports whether a node is one of the values that a schema lists.
func (c checker) among(p *part, n *syntax.Node) (finding, bool) {
	values, ok := p.allowed()
	if !ok {
		return finding{}, true
	}
	f := wrong(n, "")
	for _, v := range values {
		if !c.spend(c.cost(n)+len(v)/100) || equal(n, v) {
			return finding{}, true
		}
		f.must = append(f.must, spelled(v))
	}
	return f, false
}

// cost is the work of comparing a node.
func (c checker) cost(n *syntax.Node) int {
	if n.Kind == syntax.List || n.Kind == syntax.Map {
		return 1 + (n.End-n.Start)/20
	}
	return 1
}

// combined checks what a schema combines from others.
func (c checker) combined(p *part, n *syntax.Node, depth int) (found []finding) {
	for _, one := range c.list(p, "allOf") {
		found = append(found, c.check(one, n, depth)...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if _, ok := p.keywords[keyword]; ok {
			found = append(found, c.best(c.list(p, keyword), n, depth)...)
		}
	}
	if not := c.part(p.keywords["not"]); not != nil && len(c.check(not, n, depth)) == 0 {
		found = append(found, wrong(n, "this value is not allowed here"))
	}
	if condition := c.part(p.keywords["if"]); condition != nil {
		branch := "then"
		if len(c.check(condition, n, depth)) > 0 {
			branch = "else"
		}
		found = append(found, c.check(c.part(p.keywords[branch]), n, depth)...)
	}
	return found
}

// best returns what is wrong by the alternative that fits best; nothing when one fits.
func (c checker) best(alternatives []*part, n *syntax.Node, depth int) (best []finding) {
	var must []string
	least := 0
	for _, p := range alternatives {
		found := c.check(p, n, depth)
		if len(found) == 0 || c.left <= 0 {
			return nil
		}
		distance := distance(found, n)
		if distance == far {
			found = slices.DeleteFunc(found, func(f finding) bool { return f.must == nil || f.node != n })[:1]
			must = append(must, found[0].must...)
		}
		if best == nil || distance < least {
			best, least = found, distance
		}
	}
	if least == far { // none is even of the right kind
		slices.Sort(must)
		best[0].must = slices.Compact(must)
	}
	return best
}

// far is the distance of an alternative that is for another kind of value.
const far = 1 << 20

// distance says how badly an alternative fits a node. A member that has another value than one that the alternative fixes, as
// "type" or "kind" often has, counts more than all else.
func distance(found []finding, n *syntax.Node) (d int) {
	for _, f := range found {
		switch {
		case f.must != nil && f.node == n:
			return far
		case f.must != nil && slices.ContainsFunc(n.Members, func(m syntax.Member) bool { return m.Value == f.node }):
			d += 1000
		default:
			d++
		}
	}
	return min(d, far-1)
}

// object checks a map.
func (c checker) object(p *part, n *syntax.Node) (found []finding) {
	here := n
	if len(n.Members) > 0 { // not the whole map
		here = &syntax.Node{Span: n.Members[0].KeySpan}
	}
	has := make(map[string]bool, len(n.Members))
	for _, m := range n.Members {
		has[m.Key] = true
	}
	if !c.spend(len(p.elements("required"))) {
		return nil
	}
	c.read(p)
	for _, name := range p.required() {
		if named := p.byName[name]; !has[name] && (named == nil || named.keywords["default"] == nil) { // which servers fill in
			found = append(found, wrong(here, "%q is missing", name))
		}
	}
	needs := p.keywords["dependentRequired"]
	if !c.spend(len(needs) / 20) {
		return nil
	}
	for name, others := range rawjson.Members(needs) {
		for other := range rawjson.Elements(others) {
			if text, ok := rawjson.Text(other); ok && has[name] && !has[text] {
				found = append(found, wrong(here, "%q is missing, which %q needs", text, name))
			}
		}
	}
	found = append(found, c.count(p, here, len(n.Members), "Properties", "member", "members")...)
	for _, m := range n.Members {
		for _, about := range c.member(p, m.Key) {
			if !about.never() {
				found = append(found, c.check(about, m.Value, 0)...)
				continue
			}
			message := fmt.Sprintf("%q is not known here; remove it", m.Key)
			if name := c.meant(p, m.Key, has); name != "" {
				message = fmt.Sprintf("%q is not known here; did you mean %q?", m.Key, name)
			}
			found = append(found, wrong(&syntax.Node{Span: m.KeySpan}, "%s", message))
		}
	}
	return found
}

// meant returns the property that an unknown key probably stands for, or "".
func (c checker) meant(p *part, key string, has map[string]bool) string {
	var names []string
	for _, property := range p.properties { // member has read them
		if !has[property.name] && c.spend(1) {
			names = append(names, property.name)
		}
	}
	return nearname.Of(key, names)
}

// array checks a list.
func (c checker) array(p *part, n *syntax.Node) (found []finding) {
	found = c.count(p, n, len(n.Items), "Items", "item", "items")
	seen := map[string]bool{}
	unique := string(p.keywords["uniqueItems"]) == "true"
	for i, item := range n.Items {
		if about := c.item(p, i); about.never() {
			found = append(found, wrong(item, "the list has no more items than this; remove it"))
		} else {
			found = append(found, c.check(about, item, 0)...)
		}
		if !unique || !c.spend(c.cost(item)) {
			continue
		}
		if value := string(plainJSON(item)); seen[value] {
			found = append(found, wrong(item, "this is in the list already; remove one of them"))
		} else {
			seen[value] = true
		}
	}
	return found
}
