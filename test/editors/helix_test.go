//go:build linux || darwin

package editors

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// helix is Helix.
type helix struct {
	*terminal
	program string
	opens   bool // it opens documents for servers: since 25.07
}

func (h *helix) screenOf() *terminal { return h.terminal }

func (h *helix) start(w *world, file string) {
	w.run("install", "helix", "--write")
	if otherLanguage(file) {
		w.append(w.home(".config/helix/languages.toml"), `
[[language]]
name = "notes"
scope = "text.notes"
file-types = ["txt"]
language-servers = [{ name = "mcp-editord", only-features = ["code-action", "workspace-command", "diagnostics"] }]
`)
	}
	// In this theme what is selected in a menu is reversed.
	w.write(w.home(".config/helix/config.toml"), "theme = \"base16_terminal\"\n[editor.lsp]\ndisplay-progress-messages = true\n")
	h.terminal = w.terminal(nil, h.program, "-v", file)
	h.see(file, "NOR")
	w.attached("helix")
}

func (h *helix) command(id string) {
	h.types(":lsp-workspace-command " + id)
	h.see(id)
	h.keys("Enter")
}

func (h *helix) progress() string { return "step 3" }

func (h *helix) act(title string) {
	const none = "No code actions available" // before it has heard of the server
	for again := true; again; {
		h.types(" a")
		h.until("there was no answer about code actions", func(screen string) bool {
			again = strings.Contains(screen, none)
			return again || strings.Contains(screen, title)
		})
		if again {
			h.keys("Escape")
			h.gone(none)
		}
	}
	h.pick(title)
}

// pick takes the line of a menu that begins with title.
func (h *helix) pick(title string) {
	h.w.t.Helper()
	h.see(title)
	selected := func() bool {
		return slices.ContainsFunc(places(h.cells(), title), func(c []cell) bool { return c[0].reverse })
	}
	for range 40 {
		if selected() {
			h.keys("Enter")
			return
		}
		before := fmt.Sprint(h.cells())
		h.keys("Tab")
		h.until("the selection never moved in the menu", func(string) bool { return fmt.Sprint(h.cells()) != before })
	}
	h.w.t.Fatalf("%q cannot be selected", title)
}

func (h *helix) line(n int) {
	h.types(fmt.Sprintf(":%d", n))
	h.keys("Enter")
	h.types("gs")
}

func (h *helix) selectLine(n int) {
	h.types(fmt.Sprintf(":%d", n))
	h.keys("Enter")
	h.types("x")
}

func (h *helix) append(text string) {
	h.types("A" + text)
}

func (h *helix) complete(label string) { h.pick(label) }

func (h *helix) leave() {
	h.keys("Escape")
	h.see("NOR")
}

func (h *helix) confirm(title string) {
	if h.opens {
		h.see("destructive")
		h.pick("Run")
		return
	}
	h.see("again to confirm")
	h.act(title)
}

func (h *helix) save() {
	h.types(":w")
	h.keys("Enter")
	h.see("written")
}

func (h *helix) visit(folder, file string) {
	// It looks for the folder of a file in its own working directory only.
	h.types(":cd " + folder)
	h.keys("Enter")
	h.see("Current working directory is now")
	h.types(":open " + filepath.Join(folder, file))
	h.keys("Enter")
	h.see(file)
}
