package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/resultfiles"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/wording"
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
	lines := strings.Count(strings.TrimSuffix(p.Text, "\n"), "\n") + 1
	what, kind := "A part of this result is", wording.Count(lines, "line")
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
	text := fmt.Sprintf("%s too large to show: %s, %s. All of it is in this file:\n%s\n", what, wording.Count(p.Size, "byte"), kind, p.Path)
	if p.Structure {
		text += "The structuredContent says the same and is left out.\n"
	}
	switch {
	case p.Media:
	case rawjson.Check([]byte(p.Text)) == nil:
		of := shape([]byte(p.Text), 0)
		if len(of) > maxShape {
			of = strings.ToValidUTF8(of[:maxShape], "") + "…"
		}
		text += "It is JSON of this shape:\n" + of + "\n"
	default:
		text += "It begins with these lines:\n" + firstLines(p.Text) + "\n"
	}
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, rawjson.Quote(text))
}

const (
	maxMIMEType   = 60 // characters
	maxFirstLines = 8
	maxFirstLine  = 160 // characters
)

// firstLines returns the beginning of a text.
func firstLines(s string) string {
	lines := strings.SplitN(s, "\n", maxFirstLines+1)
	for i, line := range lines {
		lines[i] = safetext.Line(strings.TrimSuffix(line, "\r"), maxFirstLine)
	}
	if len(lines) > maxFirstLines {
		lines[maxFirstLines] = "…"
	}
	return strings.Join(lines, "\n")
}

const (
	maxShape      = 1200 // bytes
	maxShapeDepth = 4
	maxMembers    = 12 // of one object
	maxMemberName = 40 // characters
)

// shape says what a JSON value so deep inside looks like: the members of objects with their types, the
// length of arrays with their first element, the length of strings. It shows no value.
func shape(b []byte, depth int) string {
	length, open := 0, depth < maxShapeDepth
	indent := "\n" + strings.Repeat("  ", depth)
	switch b = bytes.TrimSpace(b); b[0] {
	case '{':
		var members strings.Builder
		for name, value := range rawjson.Members(b) {
			if length++; open && length <= maxMembers {
				shown := rawjson.Quote(safetext.Line(name, maxMemberName))
				fmt.Fprintf(&members, "%s  %s: %s", indent, shown, shape(value, depth+1))
			}
		}
		if members.Len() == 0 {
			return "object of " + wording.Count(length, "member")
		}
		if length > maxMembers {
			members.WriteString(indent + "  … and " + wording.Count(length-maxMembers, "more member"))
		}
		return "{" + members.String() + indent + "}"
	case '[':
		first := ""
		for element := range rawjson.Elements(b) {
			if length++; open && length == 1 {
				first = ", the first: " + shape(element, depth+1)
			}
		}
		return fmt.Sprintf("array of %d%s", length, first)
	case '"':
		text, _ := rawjson.Text(b)
		return "string of " + wording.Count(utf8.RuneCountInString(text), "character")
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
