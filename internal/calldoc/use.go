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
		_, _ = expand(n.Text, func(v variable) (string, error) {
			found = found || v.name == name
			return "", nil
		})
		if found {
			break
		}
	}
	return found
}

// valueless returns a problem for each variable without a value, at its place.
func (c *Call) valueless(value func(name string) (string, bool)) (problems []textdoc.Problem) {
	for n := range c.texts {
		seen := map[string]bool{}
		_, _ = expand(n.Text, func(v variable) (string, error) {
			if _, ok := value(v.name); !ok && !seen[v.name] {
				seen[v.name] = true
				problems = append(problems, problem(c.document.place(n, "${"+v.name+"}"), textdoc.Error, "${%s} has no value; %s", v.name, c.missing(v, value)))
			}
			return "", nil
		})
	}
	return problems
}

// missing says what is to be done about a variable without a value.
func (c *Call) missing(v variable, value func(name string) (string, bool)) string {
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
