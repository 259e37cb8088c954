package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/resultfiles"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// DefaultResultLimit is how many bytes of a result an agent gets: about 25,000 tokens, which is where
// Claude Code refuses a result. A file that the model reads in parts costs it less.
const DefaultResultLimit = 100_000

const (
	maxFiles = 8       // of one result
	maxMedia = 5 << 20 // bytes of a picture or sound that the agent gets: models take no more
)

// shrink returns a result of the tool t whose text is over limit bytes with that text in files of the folder dir, and
// in its place where it is and what it looks like; limit 0 means never.
//
// When the agent was told of no outputSchema, structuredContent goes into a file too. Else it stays, however large
// it is: a tool with a schema must return what follows it (MCP 2025-11-25, Tools, Output Schema), and clients fail
// the call otherwise. An error follows no schema.
func (t target) shrink(result json.RawMessage, limit int, dir string) (json.RawMessage, error) {
	return resultfiles.Shrink(result, resultfiles.Policy{
		Dir: dir, Limit: limit, MaxMedia: maxMedia, MaxFiles: maxFiles, StandIn: pointer,
		Structure: !t.promised || string(rawjson.Get(result, "isError")) == "true",
	})
}

// pointer returns a text that says where a part is.
func pointer(p resultfiles.Part) json.RawMessage {
	what, kind := "A part of this result is", count(countLines(p.Text), "line")
	switch {
	case p.Count == 0:
		what = "The structuredContent of this result is"
	case p.Block == nil:
		what = fmt.Sprintf("%d parts of this result are", p.Count)
	case p.Media:
		kind = "application/octet-stream"
		if p.MIMEType != "" {
			kind = safetext.Line(p.MIMEType, maxMIMEType)
		}
	}
	text := fmt.Sprintf("%s too large to show: %s, %s. All of it is in this file:\n%s\n", what, count(int(p.Size), "byte"), kind, p.Path)
	if p.Structure {
		text += "The structuredContent says the same and is left out.\n"
	}
	switch {
	case p.Media:
	case rawjson.Check([]byte(p.Text)) == nil:
		text += "It is JSON of this shape:\n" + shape([]byte(p.Text)) + "\n"
	default:
		text += "It begins with these lines:\n" + firstLines(p.Text) + "\n"
	}
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, rawjson.Quote(text))
}

// countLines counts the last one, too, when it has no end.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

const (
	maxMIMEType   = 60 // characters
	maxFirstLines = 8
	maxFirstLine  = 160 // characters
)

// firstLines returns the beginning of a text.
func firstLines(s string) string {
	var b []string
	for line := range strings.Lines(s) {
		if len(b) == maxFirstLines {
			b = append(b, "…")
			break
		}
		b = append(b, safetext.Line(strings.TrimRight(line, "\r\n"), maxFirstLine))
	}
	return strings.Join(b, "\n")
}

const (
	maxShape      = 1200 // bytes; objects that are open then are closed beyond it
	maxShapeDepth = 4
	maxMembers    = 25 // of one object
	maxMemberName = 40 // characters
)

// shape says what a JSON value looks like: the members of objects with their types, the length of
// arrays with their first element, the length of strings. It shows no value.
func shape(b []byte) string {
	var s strings.Builder
	writeShape(&s, b, 0, "")
	return s.String()
}

// writeShape writes the shape of a value so deep inside, whose lines begin with indent.
func writeShape(s *strings.Builder, b []byte, depth int, indent string) {
	switch c := strings.TrimLeft(string(b[:min(len(b), 64)]), " \t\r\n"); {
	case strings.HasPrefix(c, "{"):
		writeObject(s, b, depth, indent)
	case strings.HasPrefix(c, "["):
		writeArray(s, b, depth, indent)
	case strings.HasPrefix(c, `"`):
		text, _ := rawjson.Text(b)
		s.WriteString("string of " + count(utf8.RuneCountInString(text), "character"))
	case strings.HasPrefix(c, "t"), strings.HasPrefix(c, "f"):
		s.WriteString("boolean")
	case strings.HasPrefix(c, "n"):
		s.WriteString("null")
	default:
		s.WriteString("number")
	}
}

func writeObject(s *strings.Builder, b []byte, depth int, indent string) {
	length, n := 0, 0
	rawjson.Walk(b, func(_, _ []byte) bool { length++; return true })
	if length == 0 || depth == maxShapeDepth {
		s.WriteString("object of " + count(length, "member"))
		return
	}
	s.WriteString("{\n")
	for name, value := range rawjson.Members(b) {
		if n == maxMembers || s.Len() > maxShape {
			s.WriteString(indent + "  … and " + count(length-n, "more member") + "\n")
			break
		}
		fmt.Fprintf(s, "%s  %s: ", indent, rawjson.Quote(safetext.Line(name, maxMemberName)))
		writeShape(s, value, depth+1, indent+"  ")
		s.WriteString("\n")
		n++
	}
	s.WriteString(indent + "}")
}

func writeArray(s *strings.Builder, b []byte, depth int, indent string) {
	length := 0
	var first []byte
	for element := range rawjson.Elements(b) {
		if length++; length == 1 {
			first = element
		}
	}
	fmt.Fprintf(s, "array of %d", length)
	if length > 0 && depth < maxShapeDepth {
		s.WriteString(", the first: ")
		writeShape(s, first, depth+1, indent)
	}
}

// count returns a number of things, such as "2 lines".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
