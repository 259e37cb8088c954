//go:build linux || darwin

package editors

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// neovim is Neovim with its own LSP client and no plugin. Its keys are Vim's.
type neovim struct{ vim }

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

func (n *neovim) command(id string) {
	n.ex(fmt.Sprintf("lua vim.lsp.get_clients()[1]:exec_cmd({ title = '', command = '%s' })", id))
}

func (n *neovim) act(title string) {
	n.types("gra")
	n.types(fmt.Sprint(n.numbered(title)))
	n.keys("Enter")
}

func (n *neovim) confirm(string) {
	n.see("destructive", "2: Run")
	n.types("2")
	n.keys("Enter")
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
