//go:build linux || darwin

package editors

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// TestPicture draws docs/helix.svg, where MCP_EDITORD_PICTURE says so: a call document in Helix, with the result of one
// call, and a second call that is being written.
func TestPicture(t *testing.T) {
	target := os.Getenv("MCP_EDITORD_PICTURE")
	if target == "" {
		t.Skip("MCP_EDITORD_PICTURE names no file to draw; run make picture")
	}
	w := newWorld(t, fakeserver.Script{Plain: true})
	w.replace(w.home(".config/mcp-editord/mcp.json"), `"servers":{`, `"servers":{"workspace":{},`)
	w.write("main.go", "package main\n\nfunc main() {\n\t// TODO: read the name from the configuration\n\tgreet(\"you\")\n}\n")
	w.write("greet.go", "package main\n\nimport \"fmt\"\n\n// TODO: say hello in German\nfunc greet(name string) { fmt.Println(\"Hello,\", name) }\n")
	w.write("todo.mcp", `# What is left to do?
call: workspace.search_text
with:
  query: TODO
  include: "*.go"
---
# What is there?
call: work
with:
  pattern: "*.go"
`)
	h := &helix{program: program(t, "hx-25.07", "hx", "helix"), opens: true}
	h.start(w, "todo.mcp")
	if out, err := h.do("resize-window", "-x", strconv.Itoa(columns), "-y", "18"); err != nil {
		t.Fatalf("making the terminal smaller: %v\n%s", err, out)
	}
	h.line(2)
	h.act("MCP: Run workspace.search_text")
	h.see("result:", "German")
	h.types("/work$")
	h.keys("Enter")
	h.append("space.")
	h.see("workspace.find_files")
	screen := h.cells()
	for i := range screen {
		screen[i] = renamed(screen[i], w.folder, "/home/you/demo")
	}
	if err := os.WriteFile(target, []byte(svg(screen, "A call document in Helix: the result of one call, and completion in another")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// renamed returns a row with another name for a folder that is in it once at most. What follows it moves to the left.
func renamed(row []cell, folder, name string) []cell {
	var text []rune
	for _, c := range row {
		text = append(text, c.text)
	}
	before, _, found := strings.Cut(string(text), folder)
	if !found {
		return row
	}
	at := len([]rune(before))
	for i, r := range name {
		row[at+i].text = r
	}
	return slices.Delete(row, at+len(name), at+len(folder))
}
