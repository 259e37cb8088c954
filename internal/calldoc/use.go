package calldoc

import (
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// texts calls yield with every string in which variables count.
func (c *Call) texts(yield func(n *syntax.Node) bool) {
	if c.uri != nil && !yield(c.uri) {
		return
	}
	if c.with != nil {
		walk(c.with, yield)
	}
}

func walk(n *syntax.Node, yield func(n *syntax.Node) bool) bool {
	if n.Kind == syntax.String {
		return yield(n)
	}
	for _, item := range n.Items {
		if !walk(item, yield) {
			return false
		}
	}
	for _, m := range n.Members {
		if !walk(m.Value, yield) {
			return false
		}
	}
	return true
}

// uses reports whether the call takes the value of a variable.
func (c *Call) uses(name string) (found bool) {
	for n := range c.texts {
		expand(n.Text, func(used string) string {
			found = found || used == name
			return ""
		})
	}
	return found
}

// valueless returns a problem for each variable without a value, at its place.
func (c *Call) valueless(value func(name string) (string, bool)) (problems []textdoc.Problem) {
	for n := range c.texts {
		seen := map[string]bool{}
		expand(n.Text, func(name string) string {
			if _, ok := value(name); !ok && !seen[name] {
				seen[name] = true
				problems = append(problems, problem(c.document.place(n, "${"+name+"}"), textdoc.Error, "${%s} has no value; %s", name, c.missing(name, value)))
			}
			return ""
		})
	}
	return problems
}

// missing says what is to be done about a variable without a value.
func (c *Call) missing(name string, value func(name string) (string, bool)) string {
	v := variableOf(name)
	_, inFolder := value("file")
	switch {
	case v.needs == memberFile && c.File == "":
		return `name the file, as in "context: {file: src/link.c}"`
	case v.needs == memberLines && c.FirstLine == 0:
		return `name the lines, as in "context: {file: src/link.c, lines: 10-24}"`
	case v.name == variableLanguage && inFolder:
		return fmt.Sprintf("write the language instead: the name of %q does not say it", c.File)
	}
	return "open a folder"
}

// place returns where part is written in a node; all of the node when that is not to be seen.
func (d *Document) place(n *syntax.Node, part string) textdoc.Span {
	if i := strings.Index(d.text[n.Start:n.End], part); i >= 0 {
		return textdoc.Span{Start: n.Start + i, End: n.Start + i + len(part)}
	}
	return n.Span
}
