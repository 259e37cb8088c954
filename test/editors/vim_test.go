//go:build linux || darwin

package editors

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// vim is Vim with a plugin that is an LSP client.
type vim struct {
	*terminal
	program string
	plugin  string // its folder
}

func (v *vim) screenOf() *terminal { return v.terminal }

// startAs starts Vim, whose plugin calls itself client.
func (v *vim) startAs(w *world, file, client string) {
	w.t.Helper()
	packages := w.home(".vim/pack/test/start")
	if err := os.MkdirAll(packages, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(v.plugin, filepath.Join(packages, "plugin")); err != nil {
		w.t.Fatal(err)
	}
	w.write(w.home(".vimrc"), "set nocompatible noswapfile shortmess+=I packpath=~/.vim,$VIMRUNTIME\nfiletype plugin on\nsyntax on\n")
	w.run("install", "vim", "--write")
	if otherLanguage(file) {
		w.append(w.home(".vimrc"), "let g:ale_linters = {'text': ['mcp-editord']}\n") // it has none for text by itself
		w.replace(w.home(".vimrc"), "FileType mcp,mcpconfig call", "FileType mcp,mcpconfig,text call")
		w.replace(w.home(".vimrc"), "['mcp', 'mcpconfig']", "['mcp', 'mcpconfig', 'text']")
	}
	v.terminal = w.terminal(nil, v.program, file)
	v.see(file)
	w.attached(client)
}

// ex runs a command of Vim.
func (v *vim) ex(command string) {
	v.types(":" + command)
	v.keys("Enter")
}

func (v *vim) progress() string { return "" }

func (v *vim) line(n int) { v.types(fmt.Sprintf("%dG^", n)) }

func (v *vim) selectLine(n int) { v.types(fmt.Sprintf("%dGV", n)) }

func (v *vim) append(text string) { v.types("A" + text) }

func (v *vim) complete(label string) {
	v.w.t.Helper()
	v.keys("C-x", "C-o")
	v.see(label)
	v.keys("C-y")
}

func (v *vim) leave() { v.keys("Escape") }

// choose takes a line of a list that Vim shows.
func (v *vim) choose(n int) {
	v.w.t.Helper()
	v.see("Type number and <Enter>")
	v.types(fmt.Sprint(n))
	v.see(fmt.Sprintf("cancels): %d", n))
	v.keys("Enter")
	v.gone("cancels):")
}

// ale is Vim with ALE, which has no way to run a command of a server but a code action.
type ale struct{ vim }

func (a *ale) start(w *world, file string) { a.startAs(w, file, "") }

func (a *ale) command(string) { a.w.t.Skip("ALE cannot run a command of a server") }

func (a *ale) act(title string) {
	a.ex("ALECodeAction")
	a.choose(a.numbered(title))
}

// vimLsp is Vim with vim-lsp.
type vimLsp struct{ vim }

func (v *vimLsp) start(w *world, file string) { v.startAs(w, file, "vim-lsp") }

func (v *vimLsp) command(id string) {
	v.ex(fmt.Sprintf("call lsp#ui#vim#execute_command#_execute(#{server_name: 'mcp-editord', command_name: '%s', command_args: [], bufnr: bufnr()})", id))
}

func (v *vimLsp) act(title string) {
	v.ex("LspCodeAction")
	v.see(title)
	v.types(title)
	v.until("the list was never down to "+title, func(screen string) bool {
		_, list, found := strings.Cut(screen, "[mcp-editord] ")
		return found && strings.HasPrefix(list, title) && !strings.Contains(list, "[mcp-editord] ")
	})
	v.keys("Enter")
}

// yegappan is Vim with yegappan's lsp.
type yegappan struct{ vim }

func (y *yegappan) start(w *world, file string) { y.startAs(w, file, "Vim") }

func (y *yegappan) command(string) { y.w.t.Skip("yegappan's lsp cannot run a command of a server") }

func (y *yegappan) act(title string) {
	y.ex("LspCodeAction")
	y.choose(y.numbered(title))
}

func (v *vim) save() {
	v.ex("w")
	v.see("written")
}

func (a *ale) confirm(title string) {
	a.see("again to confirm")
	a.act(title)
}

func (v *vimLsp) confirm(title string) {
	v.see("again to confirm")
	v.act(title)
}

func (y *yegappan) confirm(string) {
	y.see("destructive")
	y.choose(2)
}

func (v *vim) visit(folder, file string) { v.ex("cd " + folder + " | edit " + file) }

// vim-lsp tells the server of the folder that Vim was in when it started it, and of no other.
func (v *vimLsp) visit(string, string) { v.w.t.Skip("vim-lsp does not follow folders") }

func (y *yegappan) visit(folder, _ string) { y.ex("LspWorkspaceAddFolder " + folder) }

// yegappan's lsp completes by itself, and selects nothing.
func (y *yegappan) complete(label string) {
	y.see(label)
	y.keys("C-n", "C-y")
}
