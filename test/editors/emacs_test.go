//go:build linux || darwin

package editors

import (
	"fmt"
	"path/filepath"
)

// emacs is Emacs with eglot, or with lsp-mode.
type emacs struct {
	*terminal
	program string
	lspMode bool
}

func (e *emacs) screenOf() *terminal { return e.terminal }

func (e *emacs) start(w *world, file string) {
	settings := "(setq inhibit-startup-screen t create-lockfiles nil make-backup-files nil)\n"
	client := "Eglot"
	if e.lspMode {
		client = "emacs"
		settings += "(load \"lsp-mode-autoloads\")\n(setq lsp-auto-guess-root t lsp-auto-execute-action nil)\n"
	}
	w.write(w.home(".emacs.d/init.el"), settings)
	w.run("install", "emacs", "--write")
	mode := "(MCP"
	if otherLanguage(file) {
		mode = "(Text"
		more := "(add-hook 'text-mode-hook #'mcp-editord-start)\n"
		if e.lspMode {
			more += "(with-eval-after-load 'lsp-mode (add-to-list 'lsp-language-id-configuration '(text-mode . \"plaintext\")))\n"
		} else {
			more += "(with-eval-after-load 'eglot (add-to-list 'eglot-server-programs '(text-mode . (\"mcp-editord\" \"attach\"))))\n"
		}
		w.append(w.home(".emacs.d/init.el"), more)
	}
	e.terminal = w.terminal(nil, e.program, file)
	e.see(file, mode)
	w.attached(client)
	e.see(map[bool]string{true: "LSP[", false: "[eglot:"}[e.lspMode])
}

// extended runs a command by its name.
func (e *emacs) extended(name string) {
	e.insist("M-x", func() { e.keys("M-x") })
	e.types(name)
	e.see("M-x " + name)
	e.keys("Enter")
}

func (e *emacs) command(id string) {
	e.keys("M-:")
	e.see("Eval:")
	if e.lspMode {
		e.types(fmt.Sprintf("(lsp-request-async \"workspace/executeCommand\" '(:command %q) #'ignore)", id))
	} else {
		e.types(fmt.Sprintf("(eglot-execute-command (eglot-current-server) %q [])", id))
	}
	e.keys("Enter")
}

func (e *emacs) progress() string {
	if e.lspMode {
		return ""
	}
	return "[eglot:acme/"
}

func (e *emacs) act(title string) {
	e.w.t.Helper()
	if e.lspMode {
		e.extended("lsp-execute-code-action")
		e.see("Select code action")
	} else {
		e.extended("eglot-code-actions")
		e.see("[eglot] Pick an action")
	}
	e.types(title)
	e.keys("Tab")
	e.keys("Enter")
}

func (e *emacs) line(n int) {
	e.keys("M-g", "g")
	e.see("Goto line")
	e.types(fmt.Sprint(n))
	e.keys("Enter", "M-m")
}

func (e *emacs) selectLine(n int) {
	e.line(n)
	e.keys("C-@", "C-e")
}

func (e *emacs) append(text string) {
	e.keys("C-e")
	e.types(text)
}

func (e *emacs) complete(label string) {
	e.keys("M-Tab")
	e.see(label)
}

func (e *emacs) leave() {}

func (e *emacs) confirm(string) {
	e.see("destructive")
	if !e.lspMode {
		e.keys("C-a", "C-k") // the first action is there already
	}
	e.types("Run")
	e.keys("Enter")
}

func (e *emacs) save() {
	e.extended("save-buffer")
	e.see("Wrote")
}

func (e *emacs) visit(folder, file string) {
	e.keys("C-x", "C-f")
	e.see("Find file:")
	e.keys("C-a", "C-k")
	e.types(filepath.Join(folder, file))
	e.keys("Enter")
}
