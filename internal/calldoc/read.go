package calldoc

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/nearname"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// read reads a call; nil when the YAML document has no member.
func (d *Document) read(doc syntax.Doc) *Call {
	c := &Call{Span: doc.Span, doc: doc.Span, document: d}
	switch {
	case doc.Broken:
		c.Broken = true
		text := d.text[doc.Start:doc.End]
		c.Start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		c.TargetSpan = c.firstLine()
		c.guess()
		return c
	case doc.Root == nil || doc.Root.Kind == syntax.Null:
		return nil
	}
	c.Start = doc.Root.Start
	c.TargetSpan = textdoc.Span{Start: c.Start, End: lineEnd(d.text, c.Start)}
	if doc.Root.Kind != syntax.Map {
		c.root = &syntax.Node{Span: doc.Root.Span, Kind: syntax.Map}
		c.fault(doc.Root.Span, `a call begins with "call: SERVER.TOOL", "prompt: SERVER.PROMPT" or "resource: SERVER"`)
		return c
	}
	c.root = doc.Root
	c.readKind()
	for _, m := range c.root.Members {
		c.readMember(m)
	}
	c.complain()
	return c
}

// fault notes an error.
func (c *Call) fault(at textdoc.Span, format string, args ...any) {
	c.problems = append(c.problems, problem(at, textdoc.Error, format, args...))
}

func problem(at textdoc.Span, severity textdoc.Severity, format string, args ...any) textdoc.Problem {
	return textdoc.Problem{Span: at, Severity: severity, Message: fmt.Sprintf(format, args...)}
}

// readKind finds out what the call asks for.
func (c *Call) readKind() {
	for _, m := range c.root.Members {
		k := Kind(m.Key)
		if !slices.Contains(kinds, k) {
			continue
		}
		if c.Kind != "" {
			c.fault(m.KeySpan, "a call has only one of %q and %q; put the other one behind a line \"---\"", c.Kind, k)
			continue
		}
		c.Kind, c.Target, c.TargetSpan = k, text(m.Value), m.Value.Span
		if c.Target == "" {
			c.TargetSpan = m.KeySpan
		}
	}
}

// text returns the text of a scalar; "" of anything else.
func text(n *syntax.Node) string {
	switch n.Kind {
	case syntax.Bool, syntax.Number, syntax.String:
		return n.Text
	}
	return ""
}

// blank reports whether nothing is written for a value.
func blank(n *syntax.Node) bool { return n.Kind == syntax.Null && n.Text == "" }

func (c *Call) readMember(m syntax.Member) {
	known, ok := find(members, m.Key)
	switch {
	case !ok:
		c.fault(m.KeySpan, "a call has no member %q%s", m.Key, suggestion(m.Key, names(members)))
		return
	case !known.fits(c.Kind) && !slices.Contains(kinds, Kind(m.Key)): // readKind says what is wrong with two kinds
		c.fault(m.KeySpan, "%q does not belong to %q", m.Key, c.Kind)
		return
	}
	switch m.Key {
	case memberURI:
		c.uri, c.URI = m.Value, text(m.Value)
	case memberWith:
		switch {
		case m.Value.Kind == syntax.Map:
			c.with = m.Value
		case !blank(m.Value):
			c.fault(m.Value.Span, `"with" has the arguments, each with its name: write "name: value" on lines of their own`)
		}
	case memberContext:
		c.readContext(m.Value)
	}
}

// suggestion returns a clause that names the one of names that name was probably meant to be; "" when
// none is near.
func suggestion(name string, names []string) string {
	if found := nearname.Of(name, names); found != "" {
		return fmt.Sprintf("; did you mean %q?", found)
	}
	return ""
}

func (c *Call) readContext(n *syntax.Node) {
	if blank(n) {
		return
	}
	if n.Kind != syntax.Map {
		c.fault(n.Span, `"context" has "file" and "lines", as in {file: src/link.c, lines: 10-24}`)
		return
	}
	for _, m := range n.Members {
		if _, ok := find(contextMembers, m.Key); !ok {
			c.fault(m.KeySpan, "a context has no member %q%s", m.Key, suggestion(m.Key, names(contextMembers)))
			continue
		}
		if blank(m.Value) {
			continue
		}
		if m.Key == memberFile {
			c.File = text(m.Value)
			if !isLocal(c.File) {
				c.fault(m.Value.Span, `"file" is a file in the workspace folder, relative to that folder, as src/link.c`)
				c.File = ""
			}
			continue
		}
		c.lines = m.Value
		var ok bool
		if c.FirstLine, c.LastLine, ok = lineRange(text(m.Value)); !ok {
			c.fault(m.Value.Span, `"lines" are the numbers of the first and the last line, from 1, as 10-24`)
		}
	}
	if file := n.Member(memberFile); (file == nil || blank(file)) && c.FirstLine > 0 {
		c.fault(c.lines.Span, `"lines" needs a "file"`)
	}
}

// isLocal reports whether a path leads to something below the folder that it is relative to, judging by its names.
func isLocal(name string) bool {
	return path.Clean(name) != "." && !strings.ContainsAny(name, "\\\x00") && filepath.IsLocal(filepath.FromSlash(name))
}

// linesPattern is "10-24", or "10" for one line.
var linesPattern = regexp.MustCompile(`^\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?$`)

// lineRange reads "10-24", or "10" for one line.
func lineRange(s string) (first, last int, ok bool) {
	numbers := linesPattern.FindStringSubmatch(s)
	if numbers == nil {
		return 0, 0, false
	}
	first, _ = strconv.Atoi(numbers[1])
	last, _ = strconv.Atoi(cmp.Or(numbers[2], numbers[1]))
	if first == 0 || first > last {
		return 0, 0, false
	}
	return first, last, true
}

// complain notes what is missing.
func (c *Call) complain() {
	if len(c.problems) > 0 {
		return // it may be a consequence
	}
	switch c.Kind {
	case "":
		c.fault(c.firstLine(), `nothing is called; begin with "call: SERVER.TOOL", "prompt: SERVER.PROMPT" or "resource: SERVER"`)
	case Tool, Prompt:
		if server, name := c.Resolve(nil); server == "" || name == "" {
			c.fault(c.TargetSpan, "%q needs a server and a %s, as SERVER.%s", c.Kind, c.Kind.Noun(), strings.ToUpper(c.Kind.Noun()))
		}
	case Resource:
		if c.Target == "" {
			c.fault(c.TargetSpan, `"resource" needs the name of a server`)
		} else if c.URI == "" {
			c.fault(c.TargetSpan, `"uri" is missing; it says which resource to read`)
		}
	case Answer:
		if c.Target == "" {
			c.fault(c.TargetSpan, `"answer" needs the id of a question`)
		}
	}
}

// Problems returns what keeps the call from running, as far as the document alone says it.
func (c *Call) Problems() []textdoc.Problem {
	return slices.Concat(c.syntax, c.problems)
}

// firstLine is where a problem of the whole call is shown.
func (c *Call) firstLine() textdoc.Span {
	return textdoc.Span{Start: c.Start, End: min(lineEnd(c.document.text, c.Start), c.End)}
}

// TargetLine returns the line of the target: Helix shows what is at its cursor, which is mostly at the beginning of a line.
func (c *Call) TargetLine() textdoc.Span {
	return textdoc.Span{Start: lineStart(c.document.text, c.TargetSpan.Start), End: c.TargetSpan.End}
}

// lineEnd returns where the line of a place ends, before its line break.
func lineEnd(text string, at int) int {
	if i := strings.IndexAny(text[at:], "\r\n"); i >= 0 {
		return at + i
	}
	return len(text)
}

// lineStart returns where the line of a place begins.
func lineStart(text string, at int) int { return strings.LastIndexAny(text[:at], "\r\n") + 1 }
