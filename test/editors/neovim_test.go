//go:build linux || darwin

package editors

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// neovim is Neovim with its own LSP client and no plugin.
type neovim struct {
	*terminal
	program string
}

func (n *neovim) screenOf() *terminal { return n.terminal }

func (n *neovim) start(w *world, file string) {
	lines := neovimLines
	if otherLanguage(file) {
		lines = strings.Replace(lines, "  filetypes = { 'mcp', 'json' },\n", "", 1)
	}
	w.write(w.home(".config/nvim/init.lua"), lines+"vim.o.swapfile = false\n")
	n.terminal = w.terminal(nil, n.program, file)
	n.see(file)
	w.attached("Neovim")
}

// neovimLines are what docs/editors.md says.
const neovimLines = `vim.filetype.add({ extension = { mcp = 'mcp' } })
vim.lsp.config('mcp-editord', {
  cmd = { 'mcp-editord', 'attach' },
  filetypes = { 'mcp', 'json' },
  root_dir = function(_, on_dir) on_dir(vim.fn.getcwd()) end,
})
vim.lsp.enable('mcp-editord')
`

// ex runs a command of Neovim.
func (n *neovim) ex(command string) {
	n.types(":" + command)
	n.keys("Enter")
}

func (n *neovim) command(id string) {
	n.ex(fmt.Sprintf("lua vim.lsp.get_clients()[1]:exec_cmd({ title = '', command = '%s' })", id))
}

func (n *neovim) progress() string { return "" }

func (n *neovim) act(title string) {
	n.types("gra")
	n.types(fmt.Sprint(n.numbered(title)))
	n.keys("Enter")
}

func (n *neovim) line(number int) { n.types(fmt.Sprintf("%dG^", number)) }

func (n *neovim) selectLine(number int) { n.types(fmt.Sprintf("%dGV", number)) }

func (n *neovim) append(text string) { n.types("A" + text) }

func (n *neovim) complete(label string) {
	n.w.t.Helper()
	n.keys("C-x", "C-o")
	n.see(label)
	n.keys("C-y")
}

func (n *neovim) leave() { n.keys("Escape") }

func (n *neovim) save() {
	n.ex("w")
	n.see("written")
}

func (n *neovim) confirm(string) {
	n.see("destructive", "2: Run")
	n.types("2")
	n.keys("Enter")
}

func (n *neovim) visit(folder, file string) {
	n.ex("cd " + folder)
	n.ex("edit " + filepath.Join(folder, file))
}

func TestNeovimLinesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "```lua\n"+neovimLines+"```") {
		t.Error("docs/editors.md has other lines for Neovim")
	}
}
