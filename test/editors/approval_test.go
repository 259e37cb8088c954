//go:build linux || darwin

package editors

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A server of the project is allowed by a code action, where its whole definition is in view.
func TestApproval(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		w := newWorld(t, fakeserver.Script{Plain: true})
		definition, err := json.MarshalIndent(map[string]any{"servers": map[string]any{"tickets": map[string]any{
			"command": filepath.Join(binaries, "fakeserver"),
			"env":     map[string]any{fakeserver.Env: `{"plain":true}`},
		}}}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		w.write(".mcp.json", string(definition)+"\n")
		e.start(w, ".mcp.json")
		e.line(3)
		// On a slow machine lsp-mode 9.0.0 does not show a diagnostic that came before flymake's first check. It has it all
		// the same, for its actions.
		mode, ok := e.(*emacs)
		lensIsEnough := ok && mode.lspMode
		e.screenOf().until("the server was never marked", func(screen string) bool {
			return marked(screen, `"tickets":`) || lensIsEnough && strings.Contains(screen, "{ Needs approval|Review")
		})
		e.act(`Allow "tickets"`)
		if !await(func() bool { return strings.Contains(w.run("servers"), "tickets  ready") }) {
			t.Errorf("the server does not run after it was allowed:\n%s", w.run("servers"))
		}
	})
}

// marked reports whether the line of a document that has text is marked as a problem, in the way of any editor: by a
// character before it that is neither a part of the document nor of a line number.
func marked(screen, text string) bool {
	for line := range strings.Lines(screen) {
		if before, _, found := strings.Cut(line, text); found {
			return strings.Trim(before, " 0123456789│") != ""
		}
	}
	return false
}
