//go:build linux || darwin

package e2e

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// Fault start-race.
func TestTenEditorsAtOnceMakeOneDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	const n = 10
	var shims []*process
	for range n {
		shims = append(shims, w.spawn("attach"))
	}
	var editors []*fakeeditor.Editor
	var greetings []*fakeeditor.Pending
	for _, shim := range shims {
		e := fakeeditor.New(t, shim, in(mcpCapabilities, folder))
		w.editors = append(w.editors, e)
		editors = append(editors, e)
		greetings = append(greetings, e.Start("initialize", e.InitializeParams()))
	}
	for i, e := range editors {
		if _, err := greetings[i].Wait(); err != nil {
			e.Fatalf("initialize of editor %d: %v", i+1, err)
		}
		e.Notify("initialized", map[string]any{})
	}
	pid := w.daemonPID()
	for i, e := range editors {
		if s := status(e); s.PID != pid || len(s.Editors) != n {
			t.Errorf("editor %d is attached to daemon %d with %d editors, want %d with %d", i+1, s.PID, len(s.Editors), pid, n)
		}
	}
	for i, shim := range shims {
		if said := shim.stderr.String(); said != "" {
			t.Errorf("attach %d says: %s", i+1, said)
		}
	}
}
