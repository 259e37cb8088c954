//go:build linux || darwin

package editors

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// editor is a real editor with a file open, attached to the daemon, driven by its own keys.
type editor interface {
	// screenOf returns its terminal.
	screenOf() *terminal
	// start starts it in a world with a file of the workspace, and waits until it shows the file. For a file of another
	// language, which is one in .txt here, it has the line more that docs/editors.md says.
	start(w *world, file string)
	// command runs a command of the daemon in the way that the editor has for it. Not every editor has one.
	command(id string)
	// progress returns what it shows of the third step of five, "" when that is nothing by itself.
	progress() string
	// act takes the code action at the cursor whose title begins with title.
	act(title string)
	// confirm says yes to a call that may destroy something, which was run by a code action whose title begins with title.
	confirm(title string)
	// save saves the document.
	save()
	// visit opens a file of another folder, in the way that makes the editor work in that folder.
	visit(folder, file string)
	// line goes to the first character of a line that is not white space. Lines are counted from 1.
	line(n int)
	// selectLine selects a line, counted from 1.
	selectLine(n int)
	// append types text at the end of the line of the cursor, and stays in insert mode.
	append(text string)
	// complete takes the completion that has this label, in insert mode.
	complete(label string)
	// leave leaves insert mode.
	leave()
}

// each runs a test in every editor.
func each(t *testing.T, test func(t *testing.T, e editor)) {
	editors := []struct {
		name string
		make func(t *testing.T) editor
	}{
		{"Helix25.07", func(t *testing.T) editor { return &helix{program: program(t, "hx-25.07", "hx", "helix"), opens: true} }},
		{"Helix25.01", func(t *testing.T) editor { return &helix{program: program(t, "hx-25.01")} }},
		{"Eglot", func(t *testing.T) editor { return &emacs{program: program(t, "emacs")} }},
		{"LspMode", func(t *testing.T) editor { return &emacs{program: program(t, "emacs"), lspMode: true} }},
		{"ALE", func(t *testing.T) editor { return &ale{vim{program: program(t, "vim"), plugin: aleFolder(t)}} }},
		{"VimLsp", func(t *testing.T) editor {
			return &vimLsp{vim{program: program(t, "vim"), plugin: checkout(t, "vim-lsp")}}
		}},
		{"Yegappan", func(t *testing.T) editor {
			return &yegappan{vim{program: program(t, "vim"), plugin: checkout(t, "lsp")}}
		}},
		{"Neovim", func(t *testing.T) editor {
			return &neovim{vim{program: program(t, "../../nvim/0.12/bin/nvim", "nvim")}}
		}},
	}
	for _, e := range editors {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			test(t, e.make(t))
		})
	}
}

// otherLanguage reports whether a file is neither a call document nor a configuration file.
func otherLanguage(file string) bool { return filepath.Ext(file) == ".txt" }

// checkout returns the folder of a plugin for Vim that has to be checked out by hand.
func checkout(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.Join(os.Getenv("MCP_EDITORD_TEST_VIM_PLUGINS"), name)
	if _, err := os.Stat(filepath.Join(folder, "plugin")); err != nil {
		t.Skipf("MCP_EDITORD_TEST_VIM_PLUGINS names no folder with a checkout of %s", name)
	}
	return folder
}

// aleFolder returns the folder of ALE, which a package of Debian has.
func aleFolder(t *testing.T) string {
	t.Helper()
	for _, folder := range []string{filepath.Join(os.Getenv("MCP_EDITORD_TEST_EDITORS"), "../trixie/root/usr/share/vim-ale"), "/usr/share/vim-ale"} {
		if _, err := os.Stat(folder); err == nil {
			return folder
		}
	}
	t.Skip("there is no vim-ale")
	return ""
}

// numbered returns the number that stands before a title in a list on the screen. It waits until there is one.
func (x *terminal) numbered(title string) int {
	x.w.t.Helper()
	pattern := regexp.MustCompile(`(\d+)[:.)\]] +(?:\[mcp-editord\] )?` + regexp.QuoteMeta(title))
	var n int
	x.until("the screen never had a list with "+title, func(screen string) bool {
		found := pattern.FindStringSubmatch(screen)
		if found != nil {
			n = number(found[1])
		}
		return found != nil
	})
	return n
}
