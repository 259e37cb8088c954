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
		if text, err = a.format.add(text, a.place, e.Name, a.members(e)); err != nil {
			return "", err
		}
	}
	return string(text), nil
}

// lua writes entries for the setup of CodeCompanion. A string in the quotes of JSON is one of Lua too, and of YAML, unless
// it has control characters.
func lua(entries []Entry) string {
	var b strings.Builder
	b.WriteString("require(\"codecompanion\").setup({\n  mcp = {\n    servers = {\n")
	for _, e := range entries {
		words := strings.Trim(literal(e.Command), "[]")
		fmt.Fprintf(&b, "      [%s] = { cmd = { %s } },\n", literal(e.Name), words)
	}
	b.WriteString("    },\n  },\n})\n")
	return b.String()
}

// yaml writes entries for goose.
func yaml(entries []Entry) string {
	var b strings.Builder
	b.WriteString("extensions:\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "  %s:\n    enabled: true\n    type: stdio\n    name: %s\n    cmd: %s\n    args: %s\n    timeout: 300\n",
			literal(e.Name), literal(e.Name), literal(e.Command[0]), literal(e.Command[1:]))
	}
	return b.String()
}
