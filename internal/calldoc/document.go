package calldoc

import (
	"sort"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Kind is what a call asks for. It is the name of the member that says so.
type Kind string

// The kinds of calls.
const (
	Tool     Kind = "call"
	Prompt   Kind = "prompt"
	Resource Kind = "resource"
	Answer   Kind = "answer" // of a person to a question of a server
)

// Method returns the method of MCP that makes a call of this kind; "" for an [Answer].
func (k Kind) Method() string {
	return map[Kind]string{Tool: "tools/call", Prompt: "prompts/get", Resource: "resources/read"}[k]
}

// Noun returns what MCP calls that which a call of this kind names on its server: a tool, prompt or resource; "" for an
// [Answer].
func (k Kind) Noun() string {
	return map[Kind]string{Tool: "tool", Prompt: "prompt", Resource: "resource"}[k]
}

// A Document is a text with calls. It never changes.
type Document struct {
	text     string
	calls    []*Call
	docs     []yamlDocument    // all of them, in the order of the text
	problems []textdoc.Problem // of the syntax
}

// A Call is one YAML document that asks for something.
type Call struct {
	textdoc.Span              // from its first member to the end of its document
	Kind         Kind         // "" when it does not say, or says several
	Target       string       // "SERVER.NAME", a server (of a [Resource]), or an id (of an [Answer])
	TargetSpan   textdoc.Span // of Target with its quotes; where there is none, the beginning of the call
	URI          string       // of a [Resource], with its variables
	File         string       // of the context: relative to the workspace folder, with "/"; "" when absent
	FirstLine    int          // of the context, from 1; 0 when absent
	LastLine     int          // of the context, from FirstLine
	Broken       bool         // its document cannot be read: Kind and Target are what its lines look like
	document     *Document
	doc          textdoc.Span      // its YAML document
	root         *syntax.Node      // a Map; nil when Broken
	uri          *syntax.Node      // of a [Resource]; nil when absent
	with         *syntax.Node      // nil when absent or blank
	lines        *syntax.Node      // of the context; nil when absent
	syntax       []textdoc.Problem // of the text
	problems     []textdoc.Problem // those for which nothing has to be looked up
}

// Parse reads a document. What is wrong with it, [Document.Check] says.
func Parse(text string) *Document {
	docs, problems := syntax.ParseYAML(text)
	d := &Document{text: text, problems: problems}
	for _, doc := range docs {
		n := 0 // how many of the problems are in doc: they are in the order of the documents
		for n < len(problems) && doc.Contains(problems[n].Start) {
			n++
		}
		c := d.read(doc)
		d.docs = append(d.docs, yamlDocument{doc.Span, c})
		if c != nil {
			c.syntax = problems[:n]
			d.calls = append(d.calls, c)
		}
		problems = problems[n:]
	}
	return d
}

// A yamlDocument is a part of the text, from one "---" to the next.
type yamlDocument struct {
	textdoc.Span
	call *Call // nil when it has no member
}

// Calls returns the calls in the order of the text. A document without a member is no call.
func (d *Document) Calls() []*Call { return d.calls }

// At returns the call whose YAML document a place is in; nil when that has none. A line "---" on which a call begins belongs to
// that call, and what is before the first document to the first call.
func (d *Document) At(offset int) *Call {
	i := sort.Search(len(d.docs), func(i int) bool { return d.docs[i].Start > offset })
	if i < len(d.docs) && lineStart(d.text, d.docs[i].Start) <= offset {
		next := d.docs[i]
		if i == 0 || next.call != nil && next.call.Start <= lineEnd(d.text, next.Start) {
			return next.call
		}
	}
	doc, _ := d.yamlAt(offset)
	return doc.call
}

// yamlAt returns the YAML document that a place is in. Where one ends and another one begins, it is the later one.
func (d *Document) yamlAt(offset int) (doc yamlDocument, ok bool) {
	i := sort.Search(len(d.docs), func(i int) bool { return d.docs[i].Start > offset }) - 1
	if i < 0 || !d.docs[i].Contains(offset) {
		return yamlDocument{}, false
	}
	return d.docs[i], true
}

// Resolve splits the target at the dot behind the longest of these names of servers, else at the first
// dot. name is "" when there is no dot, as for a [Resource].
func (c *Call) Resolve(servers []string) (server, name string) {
	if c.Kind == Resource || c.Kind == Answer {
		return c.Target, ""
	}
	for _, s := range servers {
		if rest, ok := strings.CutPrefix(c.Target, s+"."); ok && len(s) > len(server) {
			server, name = s, rest
		}
	}
	if server == "" {
		server, name, _ = strings.Cut(c.Target, ".")
	}
	return server, name
}
