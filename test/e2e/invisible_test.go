//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Promise 8: what a project writes where a message quotes it is seen, in diagnostics, in
// message boxes, in errors and in the reason why a server does not run.
func TestPromise8MessagesHideNothing(t *testing.T) {
	t.Parallel()
	const hidden = "a\u115fb\u3164c\u2800d\u202ee\ufe0f"
	const seen = `a\u{115f}b\u{3164}c\u{2800}d`
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{}), hidden: object{"command": "no-such-program-" + hidden}}.String())
	folder := w.folder("project")
	w.write(filepath.Join(folder, ".mcp.json"), `{"mcpServers": {"broken": {"command": 5, "`+hidden+`": 1}, "`+hidden+`": {}}, "`+hidden+`": 1}`)
	e := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "fake")

	for _, d := range awaitDiagnostics(e, filepath.Join(folder, ".mcp.json"), "the name", says(seen)) {
		wantSeen(t, "a diagnostic", d.Message)
	}
	_, err := e.Request("mcp/tools/call", toolCall(hidden+"?", "echo", object{}))
	wantError(e, "a call of no server", err, "serverNotFound", -32602)
	wantSeen(t, "an error", err.Message)
	if !strings.Contains(err.Message, seen) {
		t.Errorf("the error %q does not name the server", err.Message)
	}
	awaitState(e, hidden, "failed")
	_, err = e.Request("mcp/tools/call", toolCall(hidden, "echo", object{}))
	wantError(e, "a call of a server that failed", err, "serverNotReady", -32803)
	wantSeen(t, "an error of a server that failed", err.Message)
	if failed := server(e, hidden).Error; failed == nil || !strings.Contains(failed.Message, seen) {
		t.Errorf("the server failed with %+v", failed)
	} else {
		wantSeen(t, "the reason", failed.Message)
	}
	shown := 0
	for _, m := range e.Messages() {
		var p struct{ Message string }
		if m.Method == "window/showMessage" && json.Unmarshal(m.Params, &p) == nil {
			wantSeen(t, "a message box", p.Message)
			shown++
		}
	}
	if shown == 0 {
		t.Error("no message was shown")
	}
}

// wantSeen checks that a text has none of the characters of TestPromise8MessagesHideNothing.
func wantSeen(t *testing.T, what, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\u115f\u3164\u2800\u202e\ufe0f") {
		t.Errorf("%s hides something: %q", what, text)
	}
}
