//go:build linux || darwin

package editors

import (
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Helix 25.01 sends the changes that "." repeats in any order. The tool gets what the screen says.
func TestOrderOfChanges(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		h, ok := e.(*helix)
		if !ok {
			t.Skip("only Helix has the key")
		}
		w := newWorld(t, fakeserver.Script{Plain: true, Tools: issueTools, OnlyTools: true})
		w.write("a.mcp", "call: fake.list_issues\nwith:\n  kind: bug\n  text: line of words\n")
		w.run("tools", "fake")
		h.start(w, "a.mcp")
		h.line(4)
		h.types("glb") // to the last word
		h.types("iplus some words")
		h.see("plus some words", "INS")
		h.leave()
		h.types("b.b.")
		var text string
		h.until("the keys never came", func(screen string) bool {
			_, after, _ := strings.Cut(screen, "text: ")
			text, _, _ = strings.Cut(after, "\n")
			text = strings.TrimSpace(text)
			return strings.Count(text, "plus") == 3
		})
		h.line(1)
		h.act("MCP: Run fake.list_issues")
		h.see("result:")
		h.until("the tool did not get "+text, func(screen string) bool { return strings.Count(screen, text) == 2 })
	})
}
