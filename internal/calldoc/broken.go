package calldoc

import (
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// guess reads what a call that is not complete asks for, from lines that look like its members: completion
// has to know.
func (c *Call) guess() {
	text := c.document.text
	for at := c.doc.Start; at < c.doc.End; {
		end := min(lineEnd(text, at), c.doc.End)
		switch name, value := looksLikeMember(text[at:end]); {
		case name == memberURI:
			c.URI = value
		case name != "" && c.Kind == "":
			c.Kind, c.Target = Kind(name), value
			c.Start, c.TargetSpan = at, textdoc.Span{Start: at, End: end}
		}
		at = end + 1
	}
}

// looksLikeMember reads a line such as "call: server.tool", in YAML or in JSON.
func looksLikeMember(line string) (name, value string) {
	key, rest, ok := strings.Cut(strings.TrimLeft(line, "{, "), ":")
	if key = strings.Trim(key, "\" \t"); !ok || key != memberURI && !slices.Contains(kinds, Kind(key)) {
		return "", ""
	}
	return key, unquoted(strings.TrimLeft(rest, " \t"))
}

// unquoted returns the scalar at the beginning of the rest of a line, as far as one can tell.
func unquoted(rest string) string {
	if q := strings.TrimPrefix(rest, `"`); q != rest {
		value, _, _ := strings.Cut(q, `"`)
		return value
	}
	if i := strings.Index(rest, " #"); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimRight(rest, " \t,}")
}
