package calldoc

import (
	"context"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// MaxCompletions is how many completions there are at most. With so many, there may be more that fit.
const MaxCompletions = 200

// Complete returns what may be written at a place, the best first. ctx bounds how long servers are asked for values.
func (d *Document) Complete(ctx context.Context, at int, c Catalog) []textdoc.Completion {
	doc, ok := d.yamlAt(at)
	if !ok {
		return nil
	}
	if line := d.text[lineStart(d.text, at):at]; line != "" && strings.Trim(line, "-") == "" {
		return nil // a line between documents, or the beginning of one
	}
	call := doc.call
	if call == nil {
		call = &Call{Span: doc.Span, doc: doc.Span, document: d}
	}
	place := syntax.At(syntax.YAML, d.text[doc.Start:doc.End], at-doc.Start)
	place.Replace.Start += doc.Start
	place.Replace.End += doc.Start
	all := completer{ctx: ctx, at: at, call: call, place: place, book: newBook(c)}.complete()
	return all[:min(len(all), MaxCompletions)]
}

// A completer completes at one place.
type completer struct {
	ctx   context.Context
	at    int
	call  *Call
	place syntax.Place
	book  *book
}

func (c completer) complete() []textdoc.Completion {
	path := c.place.Path
	switch {
	case c.place.Nothing:
		return nil
	case len(path) == 0:
		return c.members(members)
	}
	member := path[0].Key
	if member == memberURI || member == memberWith {
		if begin, ok := c.inVariable(); ok {
			return c.variables(begin)
		}
	}
	// On a line below its key, a text without a colon could be a key too.
	value := len(path) == 1 && (!c.place.InKey || !c.place.Colon)
	switch {
	case c.place.Block:
		return nil
	case value && (member == string(Tool) || member == string(Prompt)):
		return c.targets(Kind(member))
	case value && member == string(Resource):
		return c.serverNames()
	case value && member == memberURI:
		return c.uris()
	case member == memberContext && len(path) == 1 && c.place.InKey:
		return c.members(contextMembers)
	case member == memberWith:
		return c.arguments()
	}
	return nil
}

// members completes the names of members, those that still fit.
func (c completer) members(table []member) (all []textdoc.Completion) {
	for _, m := range table {
		ours := m.name == memberResult || m.name == memberError || m.name == string(Answer)
		if ours || slices.Contains(c.place.Keys, m.name) || !m.fits(c.kind()) {
			continue
		}
		all = append(all, c.item(textdoc.Completion{Label: m.name, Kind: textdoc.KindProperty, Detail: m.meaning}, c.key(m.name)))
	}
	return all
}

// kind returns what the call asks for, without the member at the cursor, which may say it.
func (c completer) kind() Kind {
	for _, key := range c.place.Keys {
		if k := Kind(key); slices.Contains(kinds, k) {
			return k
		}
	}
	return ""
}

// item fills in what a completion does to the text: it replaces the key or the scalar at the cursor.
func (c completer) item(item textdoc.Completion, text string) textdoc.Completion {
	item.Insert = textdoc.Edit{Span: c.place.Replace, Text: text}
	if c.place.Quoted { // an editor compares it with what it replaces, and that begins with a quote
		item.Filter = text
	}
	return item
}

// key returns the name of a member as it is written at the cursor.
func (c completer) key(name string) string {
	if c.place.Flow || c.place.Quoted {
		name = syntax.Quote(name)
	} else {
		name = syntax.Scalar(name)
	}
	if c.place.Colon {
		return name
	}
	return name + ": "
}

// scalar returns a text as it is written at the cursor.
func (c completer) scalar(text string) string {
	if c.place.Flow || c.place.Quoted {
		return syntax.Quote(text)
	}
	return oneLine(text)
}

// arguments completes in "with".
func (c completer) arguments() (all []textdoc.Completion) {
	if c.call.Kind == Prompt && len(c.place.Path) == 2 {
		return c.promptValues(c.place.Path[1].Key)
	}
	schema := c.book.schema(c.call)
	if schema == nil {
		return nil
	}
	inner := c.place
	inner.Path = inner.Path[1:]
	return schema.Complete(inner, syntax.YAML)
}

// promptValues has the server complete an argument of a prompt.
func (c completer) promptValues(argument string) []textdoc.Completion {
	server, name := c.call.Resolve(c.book.names)
	ref := rawjson.Set([]byte(`{"type":"ref/prompt"}`), "name", rawjson.Quote(name))
	others := map[string]string{}
	if c.call.with != nil {
		for _, m := range c.call.with.Members {
			if m.Key != argument && text(m.Value) != "" {
				others[m.Key] = text(m.Value)
			}
		}
	}
	var all []textdoc.Completion
	for _, value := range c.book.Values(c.ctx, server, ref, argument, c.place.Prefix, others) {
		all = append(all, c.item(textdoc.Completion{Label: value, Kind: textdoc.KindValue}, c.scalar(value)))
	}
	return all
}

// inVariable returns where the "${" begins that the cursor is behind, with nothing in between but a name.
func (c completer) inVariable() (begin int, ok bool) {
	text := c.call.document.text
	from := max(lineStart(text, c.at), c.at-maxName)
	begin = strings.LastIndex(text[from:c.at], "${")
	if begin < 0 || strings.ContainsFunc(text[from+begin+len("${"):c.at], func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
		return 0, false
	}
	return from + begin, true
}

// variables completes the name of a variable that begins with "${".
func (c completer) variables(begin int) (all []textdoc.Completion) {
	text := c.call.document.text
	span := textdoc.Span{Start: begin, End: c.at}
	for span.End < len(text) && (text[span.End] >= 'a' && text[span.End] <= 'z' || text[span.End] >= 'A' && text[span.End] <= 'Z') {
		span.End++
	}
	// In brackets a text needs quotes, or the bracket of the variable would end a map.
	quote := c.place.Flow && !c.place.Quoted
	before := ""
	if quote {
		line := text[lineStart(text, begin):begin]
		before = strings.TrimLeft(line[strings.LastIndexAny(line, "{[,:")+1:], " \t")
		span.Start -= len(before)
	} else if span.End < len(text) && text[span.End] == '}' {
		span.End++
	}
	for _, v := range variables {
		name := "${" + v.name + "}"
		insert := before + name
		if quote {
			insert = syntax.Quote(insert)
		}
		detail := v.meaning
		if _, ok := c.call.hasContext(v.name); !ok {
			detail += "; needs " + v.needs + " in context"
		}
		all = append(all, textdoc.Completion{
			Label: name, Kind: textdoc.KindVariable, Detail: detail, Insert: textdoc.Edit{Span: span, Text: insert}, Filter: before + name,
		})
	}
	return all
}

// firstLine returns the first line of a text as the detail of a completion.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return safetext.Line(line, maxDetail)
}
