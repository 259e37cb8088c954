package calldoc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// The bounds of what a new call says.
const (
	maxCommentLines  = 8
	maxQuestionLines = 1000
	maxCommentLine   = 96  // columns
	maxFields        = 200 // arguments that are written
	maxOptional      = 40  // arguments that are only named
	maxExample       = 60  // bytes of a value in a comment
	maxChoices       = 20  // allowed values that are named
)

// Context is where a call is written from.
type Context struct {
	File                string // relative to the workspace folder, with "/"; "" when there is none
	FirstLine, LastLine int    // from 1; 0 when nothing is selected
}

// A Question is what a server asks a person.
type Question struct {
	Server  string
	Message string
	Schema  json.RawMessage // of the answer: an object
	Ended   string          // what became of it; "" while it is open
}

// New returns a call for a person to fill in: every required argument, and all that arguments has, with its value; the others
// as comments. definition is what the server says about the tool, the prompt or the resource. For a [Resource], target is
// the server. No variable counts in the texts of arguments.
func New(k Kind, target string, definition, arguments json.RawMessage, context Context) string {
	var b strings.Builder
	comment(&b, "", rawjson.String(definition, "title")+"\n"+rawjson.String(definition, "description"), maxCommentLines)
	fmt.Fprintf(&b, "%s: %s\n", k, oneLine(target))
	if k == Resource {
		comment(&b, "", rawjson.String(definition, "uriTemplate"), 1)
		uri := memberURI + ":"
		if text := rawjson.String(definition, memberURI); text != "" {
			uri += " " + oneLine(escape(text))
		}
		b.WriteString(uri + "\n")
	} else {
		fields{schema: k.Schema(definition), values: arguments}.write(&b)
	}
	if isLocal(context.File) {
		b.WriteString("context: {file: " + syntax.Scalar(context.File))
		if context.FirstLine > 0 {
			fmt.Fprintf(&b, ", lines: %d-%d", context.FirstLine, max(context.FirstLine, context.LastLine))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// NewAnswer returns the answer to a question, for a person to fill in: every field, with its default.
func NewAnswer(id string, q Question) string {
	var b strings.Builder
	comment(&b, "", wording.WhoAsks(q.Server)+" asks:\n\n"+q.Message+"\n\nFill this in, save it and run Send, or run Decline.", maxQuestionLines)
	fmt.Fprintf(&b, "%s: %s\n", Answer, oneLine(id))
	fields{schema: q.Schema, all: true}.write(&b)
	return b.String()
}

// oneLine returns a text as it stands behind the colon of a block, on one line.
func oneLine(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		return syntax.Quote(text)
	}
	return strings.TrimPrefix(syntax.Encode(rawjson.Quote(text), 0), " ")
}

// comment writes a text as comment lines of limited length, at most so many.
func comment(b *strings.Builder, margin, text string, most int) {
	written := 0
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for line := range strings.Lines(strings.TrimSpace(safetext.Inert(safetext.Block(text)))) {
		for _, part := range safetext.Wrap(strings.TrimSpace(line), maxCommentLine, "") {
			if written == most {
				b.WriteString(margin + "# …\n")
				return
			}
			written++
			b.WriteString(strings.TrimRight(margin+"# "+part, " ") + "\n")
		}
	}
}

// fields write the member "with" of a new call.
type fields struct {
	schema json.RawMessage
	values json.RawMessage // by name; nil for none
	all    bool            // write those that are optional, too
}

func (f fields) write(b *strings.Builder) {
	var given, optional []toolschema.Property
	known := map[string]bool{}
	for _, p := range toolschema.OfTool(rawjson.Set(nil, "inputSchema", orEmpty(f.schema))) {
		known[p.Name] = true
		if f.all || p.Required || rawjson.Get(f.values, p.Name) != nil {
			given = append(given, p)
		} else {
			optional = append(optional, p)
		}
	}
	for name := range rawjson.Members(f.values) {
		if !known[name] {
			given = append(given, toolschema.Property{Name: name})
		}
	}
	if len(given)+len(optional) == 0 {
		return
	}
	b.WriteString(memberWith + ":\n")
	for i, p := range given {
		if i == maxFields {
			fmt.Fprintf(b, "  # … and %d more\n", len(given)-i)
			break
		}
		f.field(b, p)
	}
	for i, p := range optional {
		if i == maxOptional {
			fmt.Fprintf(b, "  # … and %d more\n", len(optional)-i)
			break
		}
		f.optional(b, p)
	}
}

func orEmpty(schema json.RawMessage) json.RawMessage {
	if !rawjson.IsObject(schema) {
		return json.RawMessage("{}")
	}
	return schema
}

// of returns the schema of a property as it is written.
func (f fields) of(p toolschema.Property) json.RawMessage {
	return rawjson.Path(f.schema, "properties", p.Name)
}

// field writes an argument on a line of its own, below what it means.
func (f fields) field(b *strings.Builder, p toolschema.Property) {
	title := rawjson.String(f.of(p), "title")
	if normalized(title) == normalized(p.Name) {
		title = ""
	}
	comment(b, "  ", title+"\n"+p.Description, maxCommentLines/2)
	comment(b, "  ", f.allowed(p), maxCommentLines/2)
	value := json.RawMessage(rawjson.Get(f.values, p.Name))
	if value == nil {
		value = rawjson.Get(f.of(p), "default")
	}
	written := empty(p)
	if value != nil {
		written = syntax.Encode(escaped(value), fieldIndent)
	}
	fmt.Fprintf(b, "  %s:%s\n", syntax.Scalar(p.Name), written)
}

// fieldIndent is the column in which the arguments of a new call begin.
const fieldIndent = 2

// normalized returns a name without what the spellings of a title differ in.
func normalized(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
}

// empty returns the value of a kind that nothing is in, behind the colon. A scalar is left blank: the person has
// to write one.
func empty(p toolschema.Property) string {
	switch {
	case len(p.Types) == 0 || slices.Contains(p.Types, "string"):
		return ""
	case slices.Contains(p.Types, "array"):
		return " []"
	case slices.Contains(p.Types, "object"):
		return " {}"
	}
	return ""
}

// optional writes an argument as a comment. Without the # at its beginning it is a member.
func (f fields) optional(b *strings.Builder, p toolschema.Property) {
	line := syntax.Scalar(p.Name) + ":"
	value := json.RawMessage(rawjson.Get(f.of(p), "default"))
	switch text, ok := rawjson.Text(value); {
	case value == nil || len(value) > maxExample:
		line += empty(p)
	case ok:
		line += " " + oneLine(escape(text))
	default:
		line += " " + string(rawjson.Compact(escaped(value)))
	}
	about, _, _ := strings.Cut(strings.TrimSpace(p.Description), "\n")
	if allowed := f.allowed(p); allowed != "" {
		about = strings.TrimSpace(strings.TrimSpace(about) + " (" + allowed + ")")
	}
	if about != "" {
		line += "  # " + safetext.Inert(safetext.Line(about, maxCommentLine))
	}
	b.WriteString("  # " + safetext.Line(line, maxCommentLine*2) + "\n")
}

// A Choice is one of the values that a schema lists.
type Choice struct {
	Value json.RawMessage
	Title string // "" when it has none
}

// Name returns the value for people.
func (c Choice) Name() string { return rawjson.Bare(c.Value) }

// Choices returns the values that a schema lists; nil when it allows any.
func Choices(schema json.RawMessage) (all []Choice) {
	for value := range rawjson.Elements(rawjson.Get(schema, "enum")) {
		all = append(all, Choice{Value: value})
	}
	for _, member := range []string{"oneOf", "anyOf"} {
		for option := range rawjson.Elements(rawjson.Get(schema, member)) {
			if value := rawjson.Get(option, "const"); value != nil {
				all = append(all, Choice{value, rawjson.String(option, "title")})
			}
		}
	}
	return all
}

// allowed says what a value may be, where that is not any text.
func (f fields) allowed(p toolschema.Property) string {
	schema := f.of(p)
	many := "one of "
	if slices.Contains(p.Types, "array") {
		many = "any of "
		if items := rawjson.Get(schema, "items"); items != nil {
			schema = items
		}
	}
	var names []string
	for _, c := range Choices(schema) {
		name := c.Name()
		if c.Title != "" && c.Title != name {
			name += " (" + c.Title + ")"
		}
		names = append(names, name)
	}
	switch {
	case len(names) > maxChoices:
		return many + strings.Join(names[:maxChoices], ", ") + ", …"
	case len(names) > 0:
		return many + strings.Join(names, ", ")
	case len(p.Types) == 0 || slices.Contains(p.Types, "string") || empty(p) != "" || rawjson.Get(f.of(p), "default") != nil:
		return "" // or it is to be seen
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(p.Types), func(t string) bool { return t == "null" }), " or ")
}

// escaped returns a JSON value in which no variable counts.
func escaped(value json.RawMessage) json.RawMessage {
	if !strings.Contains(string(value), "${") && !strings.Contains(string(value), `\u`) {
		return value
	}
	if text, ok := rawjson.Text(value); ok {
		return rawjson.Quote(escape(text))
	}
	switch {
	case rawjson.IsObject(value):
		out := []byte{'{'}
		for name, member := range rawjson.Members(value) {
			out = append(append(append(comma(out), rawjson.Quote(name)...), ':'), escaped(member)...)
		}
		return append(out, '}')
	case len(value) > 0 && value[0] == '[':
		out := []byte{'['}
		for element := range rawjson.Elements(value) {
			out = append(comma(out), escaped(element)...)
		}
		return append(out, ']')
	}
	return value
}
