package calldoc

import (
	"regexp"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// memberLine is a line such as "call: server.tool", in YAML or in JSON, with the scalar at its end as far as one can tell.
var memberLine = regexp.MustCompile(`(?m)^[{, ]*"?(call|prompt|resource|answer|uri)"?[ \t]*:[ \t]*(?:"([^"\n]*)"?.*|(.*?)(?: #.*)?[ \t\r,}]*)$`)

// guess reads what a call that is not complete asks for, from lines that look like its members: completion
// has to know.
func (c *Call) guess() {
	text := c.document.text[c.doc.Start:c.doc.End]
	for _, m := range memberLine.FindAllStringSubmatchIndex(text, -1) {
		value := text[max(m[4], m[6]):max(m[5], m[7])]
		switch name := text[m[2]:m[3]]; {
		case name == memberURI:
			c.URI = value
		case c.Kind == "":
			c.Kind, c.Target = Kind(name), value
			c.Start = c.doc.Start + m[0]
			c.TargetSpan = textdoc.Span{Start: c.Start, End: lineEnd(c.document.text, c.Start)}
		}
	}
}
