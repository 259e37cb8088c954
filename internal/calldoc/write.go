package calldoc

import (
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// WithResult returns the edit that puts a result below the call, or in the place of the one that is there. It keeps
// every other byte of the text. The result reads as the text of r with one line break at its end, without what an editor would
// take for its settings; in a document in JSON it is a JSON string. ok is false when the call cannot take a result as its text is now.
func (c *Call) WithResult(r Result) (e textdoc.Edit, ok bool) {
	if c.Broken || len(c.root.Members) == 0 {
		return textdoc.Edit{}, false
	}
	w := writer{c: c, name: memberResult, text: safetext.Inert(finished(r.Text)), eol: lineBreak(c.document.text[c.doc.Start:c.doc.End])}
	if r.Failed {
		w.name = memberError
	}
	for _, e := range w.edits() {
		if w.reads(e) {
			return e, true
		}
	}
	return textdoc.Edit{}, false
}

// finished returns a text as a document takes it: safe, and with one line break at its end unless it is empty.
func finished(s string) string {
	if s = strings.TrimRight(safetext.Block(s), " \t\n"); s == "" {
		return ""
	}
	return s + "\n"
}

// lineBreak returns how the lines of a text end.
func lineBreak(s string) string {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 && strings.HasPrefix(s[i:], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// A writer makes the edits of [Call.WithResult].
type writer struct {
	c          *Call
	name, text string // of the member to write
	eol        string
}

// edits returns edits that should do, the best one first. Which of them does, [writer.reads] says: a text that
// a person is writing has more forms than anybody foresees.
func (w *writer) edits() []textdoc.Edit {
	old, _ := split(w.c.root)
	switch {
	case w.c.document.text[w.c.root.Start] == '{' && len(old) > 0:
		return []textdoc.Edit{w.replace(old, w.flowMember())}
	case w.c.document.text[w.c.root.Start] == '{':
		return []textdoc.Edit{w.addFlow()}
	}
	indent := w.c.root.Members[0].KeySpan.Start - lineStart(w.c.document.text, w.c.root.Members[0].KeySpan.Start)
	block, quoted := w.blockMember(indent), w.flowMember()
	if w.text == "" {
		block = quoted
	}
	var edits []textdoc.Edit
	if len(old) > 0 {
		edits = append(edits, w.replace(old, block), w.replace(old, quoted))
	} else {
		margin := strings.Repeat(" ", indent)
		for _, at := range w.ends() {
			edits = append(edits, w.addLine(at, margin+block), w.addLine(at, margin+quoted))
		}
	}
	for i, e := range edits {
		if w.endsText(e) { // a block at the end of a text has no line break that the text lacks
			edits[i].Text += w.eol
		}
	}
	return edits
}

// endsText reports whether an edit changes the last line of a text that has no line break at its end.
func (w *writer) endsText(e textdoc.Edit) bool {
	text := w.c.document.text
	return e.End == len(text) && e.End > lineStart(text, e.End)
}

// blockMember returns the member as it is written in YAML in the column indent, without the line break at its end.
func (w *writer) blockMember(indent int) string {
	return w.name + ": " + strings.ReplaceAll(syntax.Block(w.text, indent), "\n", w.eol)
}

// flowMember returns the member on one line.
func (w *writer) flowMember() string {
	name := w.name
	if w.c.document.text[w.c.root.Start] == '{' {
		name = `"` + name + `"`
	}
	return name + ": " + string(rawjson.Quote(w.text))
}

// replace puts the new member in the place of the first old one, and takes a second one out.
func (w *writer) replace(old []syntax.Member, with string) textdoc.Edit {
	text := w.c.document.text
	first := textdoc.Span{Start: old[0].KeySpan.Start, End: w.end(old[0])}
	e := textdoc.Edit{Span: first, Text: with}
	if len(old) < 2 {
		return e
	}
	second := textdoc.Span{Start: old[1].KeySpan.Start, End: w.end(old[1])}
	// What is between the two loses what separates it from the second one: a comma, or a line break.
	between := strings.TrimRight(text[first.End:second.Start], " ")
	if comma := strings.TrimSuffix(strings.TrimRight(between, " \t\r\n"), ","); text[w.c.root.Start] == '{' {
		between = comma
	} else {
		between = strings.TrimSuffix(strings.TrimSuffix(between, "\n"), "\r")
	}
	return textdoc.Edit{Span: textdoc.Span{Start: first.Start, End: second.End}, Text: with + between}
}

// end returns where a member ends: before the line break, or before the comma in flow style.
func (w *writer) end(m syntax.Member) int {
	text := w.c.document.text
	end := max(m.Value.End, m.KeySpan.End)
	if colon := strings.IndexByte(text[m.KeySpan.End:], ':'); colon >= 0 && m.Value.End <= m.KeySpan.End+colon {
		end = m.KeySpan.End + colon + 1 // there is no value
	}
	if text[w.c.root.Start] == '{' {
		return end
	}
	for end > m.KeySpan.End && strings.ContainsRune(" \t\r\n", rune(text[end-1])) {
		end--
	}
	return end
}

// addFlow adds the member to a map in flow style, laid out like its last one.
func (w *writer) addFlow() textdoc.Edit {
	text := w.c.document.text
	last := w.c.root.Members[len(w.c.root.Members)-1]
	at, separator := w.end(last), ","
	if rest := strings.TrimLeft(text[at:], " \t\r\n"); strings.HasPrefix(rest, ",") {
		at, separator = len(text)-len(rest)+1, ""
	}
	begin := lineStart(text, last.KeySpan.Start)
	if margin := text[begin:last.KeySpan.Start]; strings.TrimLeft(margin, " \t") == "" {
		separator += w.eol + margin
	} else {
		separator += " "
	}
	return textdoc.Edit{Span: textdoc.Span{Start: at, End: at}, Text: separator + w.flowMember()}
}

// ends returns where a line can be added at the end of the document: behind its last line that is not empty, and behind
// all of them, for a text that ends in empty lines.
func (w *writer) ends() []int {
	text := w.c.document.text
	end := w.c.doc.End
	last := w.c.doc.Start + len(strings.TrimRight(text[w.c.doc.Start:end], " \t\r\n"))
	return []int{lineEnd(text, last), end}
}

// addLine adds a line at a place. A line that begins or ends there does so after it too.
func (w *writer) addLine(at int, line string) textdoc.Edit {
	e := textdoc.Edit{Span: textdoc.Span{Start: at, End: at}}
	if at == lineStart(w.c.document.text, at) {
		e.Text = line + w.eol
	} else {
		e.Text = w.eol + line
	}
	return e
}

// reads reports whether the call is the same after an edit, and has the result.
func (w *writer) reads(e textdoc.Edit) bool {
	text, doc := w.c.document.text, w.c.doc
	if e.Start < doc.Start || e.End > doc.End {
		return false
	}
	// All of it, for the bounds of a text count too.
	docs, problems := syntax.ParseYAML(text[:e.Start] + e.Text + text[e.End:])
	i := slices.IndexFunc(w.c.document.docs, func(d yamlDocument) bool { return d.call == w.c })
	if len(docs) != len(w.c.document.docs) || len(problems) > len(w.c.document.problems) || docs[i].Root == nil || docs[i].Root.Kind != syntax.Map {
		return false
	}
	results, others := split(docs[i].Root)
	root := w.c.root
	if w.endsText(e) { // what was the last line ends in a line break now, and a block with it
		docs, _ := syntax.ParseYAML(text + w.eol)
		root = docs[i].Root
	}
	_, before := split(root)
	return len(results) == 1 && results[0].Key == w.name && results[0].Value.Kind == syntax.String &&
		results[0].Value.Text == w.text && slices.EqualFunc(others, before, sameMember)
}

// split returns the members that say what came of a call, and the others.
func split(root *syntax.Node) (results, others []syntax.Member) {
	for _, m := range root.Members {
		if m.Key == memberResult || m.Key == memberError {
			results = append(results, m)
		} else {
			others = append(others, m)
		}
	}
	return results, others
}

func sameMember(a, b syntax.Member) bool { return a.Key == b.Key && sameNode(a.Value, b.Value) }

func sameNode(a, b *syntax.Node) bool {
	return a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Items, b.Items, sameNode) && slices.EqualFunc(a.Members, b.Members, sameMember)
}
