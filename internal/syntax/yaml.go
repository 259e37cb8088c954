package syntax

import (
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Limits of one text.
const (
	maxBytes = 1 << 20
	maxNodes = 10_000
	maxDepth = 100
)

// A Doc is one document of a YAML text.
type Doc struct {
	textdoc.Span       // from behind its "---" up to the next one
	Root         *Node // nil when the document is empty or broken
	Broken       bool  // it is not YAML, or not what ParseYAML takes; there is a problem that says why
}

// ParseYAML reads a text of YAML documents. A document that is broken has one problem, and takes nothing from the others.
//
// It reads YAML 1.2 with its core schema, without anchors, aliases, merge keys, tags, directives, "...", pairs in lists, keys behind a
// question mark, and keys that are lists, maps or nothing. A tab can't begin a line, not even before a bracket. Lines within brackets may begin
// in any column, as those of pasted JSON do. Two equal keys in a map are a problem, and the first one counts. There are at most 1 MiB and
// 10,000 nodes, 100 deep.
//
// The parser is our own, because those that there are do not know where things end, and read some texts in
// blocks as something else, or not in linear time. This one never guesses: it looks at each character twice at most.
func ParseYAML(text string) (docs []Doc, problems []textdoc.Problem) {
	p := unreadable(text)
	if p == nil {
		p = unprintable(text)
	}
	if p != nil {
		return []Doc{{Span: textdoc.Span{Start: 0, End: len(text)}, Broken: true}}, []textdoc.Problem{*p}
	}
	nodes := 0
	for _, span := range split(text) {
		line := span.Start - len(separator)
		if span.Start == 0 || span.Start == len(bom) && strings.HasPrefix(text, bom) {
			line = span.Start
		}
		end := documentEnd(text[:span.End], line)
		r := yamlReader{text: text[:end], at: span.Start, line: line, nodes: &nodes}
		root := r.document()
		if end < span.End {
			r.text = text[:span.End]
			r.fail(end, end+len(terminator), `"..." is not needed; remove it, or write "---" to begin another document`)
		}
		if r.failed != nil {
			root = nil
			problems = append(problems, *r.failed)
		} else {
			problems = append(problems, r.duplicates...)
		}
		docs = append(docs, Doc{span, root, r.failed != nil})
	}
	return docs, problems
}

const (
	bom        = "\ufeff"
	separator  = "---"
	terminator = "..."
)

// split returns the documents of a text. A line that begins with --- and white space begins one, wherever it is: no
// scalar may have such a line.
func split(text string) (spans []textdoc.Span) {
	start := 0
	if strings.HasPrefix(text, bom) {
		start = len(bom)
	}
	for line := start; line < len(text); line = nextLine(text, line) {
		if !marker(text[line:], separator) {
			continue
		}
		if line > start || len(spans) > 0 {
			spans = append(spans, textdoc.Span{Start: start, End: line})
		}
		start = line + len(separator)
	}
	return append(spans, textdoc.Span{Start: start, End: len(text)})
}

// documentEnd returns where the line is that ends the document whose first line begins at a byte; the end of the text when there is
// none. No scalar may have such a line either.
func documentEnd(text string, line int) int {
	for ; line < len(text); line = nextLine(text, line) {
		if marker(text[line:], terminator) {
			return line
		}
	}
	return len(text)
}

// marker reports whether a line is m, or begins with it and white space.
func marker(line, m string) bool {
	return strings.HasPrefix(line, m) && (len(line) == len(m) || white(line[len(m)]))
}

// A yamlReader reads one document. It stops at the first failure: then it is at the end of its text.
type yamlReader struct {
	text       string // up to the end of the document
	at         int
	line       int // where the line of at begins
	depth      int
	nodes      *int // so far, of all documents
	failed     *textdoc.Problem
	duplicates []textdoc.Problem
}

// fail stops reading.
func (r *yamlReader) fail(start, end int, format string, args ...any) {
	if r.failed == nil {
		r.failed = &textdoc.Problem{Span: textdoc.Span{Start: start, End: min(end, len(r.text))}, Severity: textdoc.Error, Message: fmt.Sprintf(format, args...)}
	}
	r.at = len(r.text)
}

// failTab stops reading because of a tab.
func (r *yamlReader) failTab(start, end int) {
	r.fail(start, end, "a tab can't indent a line; use spaces")
}

// document reads the whole document.
func (r *yamlReader) document() *Node {
	root := r.value(-1, true)
	r.next()
	if !r.done() {
		r.fail(r.at, r.lineEnd(), `this is not part of what is above it; indent it like the first line, or write "---" before it to begin another document`)
	}
	if root.Kind == Null && root.Start == root.End {
		return nil
	}
	return root
}

// done reports whether nothing is left.
func (r *yamlReader) done() bool { return r.at >= len(r.text) }

// peek returns the byte i bytes behind the place of the reader, and \n behind the end.
func (r *yamlReader) peek(i int) byte {
	if r.at+i >= len(r.text) {
		return '\n'
	}
	return r.text[r.at+i]
}

// indicator reports whether c is next and white space follows.
func (r *yamlReader) indicator(c byte) bool {
	return !r.done() && r.text[r.at] == c && white(r.peek(1))
}

// column is where in its line the reader is, in bytes from 0.
func (r *yamlReader) column() int { return r.at - r.line }

// lineEnd returns the end of the line.
func (r *yamlReader) lineEnd() int { return lineEnd(r.text, r.at) }

// next goes to what is next, over white space, line ends and comments.
func (r *yamlReader) next() {
	for !r.done() {
		switch c := r.text[r.at]; {
		case c == '\n' || c == '\r':
			r.at = nextLine(r.text, r.at)
			r.line = r.at
		case white(c):
			r.at++
		case c == '#' && (r.column() == 0 || white(r.text[r.at-1])):
			r.at = r.lineEnd()
		default:
			return
		}
	}
}

// begin goes to the next line of a block that has something in it. Its column is −1 at the end.
func (r *yamlReader) begin() (column int) {
	r.next()
	if r.done() {
		return -1
	}
	indentation := r.text[r.line:r.at]
	if i := strings.IndexByte(indentation, '\t'); i >= 0 && strings.Trim(indentation, " \t") == "" {
		r.failTab(r.line+i, r.at)
		return -1
	}
	return r.column()
}

// rest goes to the end of a line on which nothing but a comment may be left.
func (r *yamlReader) rest() {
	from := r.at
	for !r.done() && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
	switch {
	case r.done() || r.text[r.at] == '\n' || r.text[r.at] == '\r' || r.text[r.at] == '#' && r.at > from:
	case r.text[r.at] == ':':
		r.fail(r.at, r.at+1, "only a text on one line can be a key; put the value in quotes if the colon belongs to it")
	default:
		r.fail(r.at, r.lineEnd(), "nothing may follow the value on its line; put all of it in quotes, or write a comma if it is in a list")
	}
}

// node returns a new node that begins here, and counts it.
func (r *yamlReader) node(kind Kind) *Node {
	*r.nodes++
	return &Node{Span: textdoc.Span{Start: r.at, End: r.at}, Kind: kind}
}

// enter begins a value, unless there are too many, or it is too deep. leave ends it.
func (r *yamlReader) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.fail(r.at, r.at+1, "values are more than %d deep here; make the text flatter", maxDepth)
	}
	if *r.nodes >= maxNodes {
		r.fail(r.at, r.at+1, "the text has more than %d values; split it into several files", maxNodes)
	}
	return r.failed == nil
}

func (r *yamlReader) leave() { r.depth-- }

// nothing returns the node of a value that is not written, and counts it.
func (r *yamlReader) nothing(at int) *Node {
	n := r.node(Null)
	n.Start, n.End = at, at
	return n
}

// add adds a member to a map, unless it has one with this key.
func (r *yamlReader) add(n *Node, keys map[string]bool, m Member) {
	if keys[m.Key] {
		r.duplicates = append(r.duplicates, duplicate(m))
		return
	}
	keys[m.Key] = true
	n.Members = append(n.Members, m)
}

// duplicate is the problem of a key that a map has already.
func duplicate(m Member) textdoc.Problem {
	return textdoc.Problem{Span: m.KeySpan, Severity: textdoc.Error, Message: fmt.Sprintf("%q is there already, and the first one counts; remove one of them", m.Key)}
}

// white reports whether c separates words of YAML: it is a blank, a tab or a line end.
func white(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// lineEnd returns where the line of a byte ends, before its \n, \r\n or \r.
func lineEnd(text string, at int) int {
	for at < len(text) && text[at] != '\n' && text[at] != '\r' {
		at++
	}
	return at
}

// nextLine returns where the line after that of a byte begins.
func nextLine(text string, at int) int {
	at = lineEnd(text, at)
	if strings.HasPrefix(text[at:], "\r\n") {
		return at + 2
	}
	return min(at+1, len(text))
}
