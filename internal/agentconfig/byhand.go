package agentconfig

import (
	"fmt"
	"strings"
)

// ByHand returns the text of entries, for who writes them into the configuration.
func (a Agent) ByHand(entries []Entry) (string, error) {
	if a.text != nil {
		return a.text(entries), nil
	}
	var text []byte
	for _, e := range entries {
		var err error
		if text, err = a.format.set(text, a.place, e.Name, a.members(e), false); err != nil {
			return "", err
		}
	}
	return string(text), nil
}

// lua writes entries for the setup of CodeCompanion.
func lua(entries []Entry) string {
	var b strings.Builder
	b.WriteString("require(\"codecompanion\").setup({\n  mcp = {\n    servers = {\n")
	for _, e := range entries {
		var words []string
		for _, word := range append([]string{e.Command}, e.Args...) {
			words = append(words, luaLiteral(word))
		}
		fmt.Fprintf(&b, "      [%s] = { cmd = { %s } },\n", luaLiteral(e.Name), strings.Join(words, ", "))
	}
	b.WriteString("    },\n  },\n})\n")
	return b.String()
}

// luaLiteral writes a string of Lua. Backslashes and quotes are escaped as in C, control characters
// by their number.
func luaLiteral(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%03d", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// yaml writes entries for goose. A string in the quotes of JSON is one of YAML too.
func yaml(entries []Entry) string {
	var b strings.Builder
	b.WriteString("extensions:\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "  %s:\n    enabled: true\n    type: stdio\n    name: %s\n    cmd: %s\n    args: %s\n    timeout: 300\n",
			literal(e.Name), literal(e.Name), literal(e.Command), literal(e.Args))
	}
	return b.String()
}
