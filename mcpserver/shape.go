package mcpserver

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

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
