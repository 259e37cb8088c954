//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault call-unanswered.
func TestCancellingTellsTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")

	pending := e.Start("mcp/tools/call", toolCall("fake", "hang", map[string]any{}))
	await(t, "the server has the call", func() bool { return len(w.recorded("fake", "tools/call")) == 1 })
	pending.Cancel()
	if _, err := pending.Wait(); err == nil || err.Code != -32800 || err.Kind() != "cancelled" {
		e.Fatalf("the cancelled call: %v", err)
	}
	await(t, "the server has been told", func() bool { return len(w.recorded("fake", "notifications/cancelled")) == 1 })
	var told struct{ RequestID json.RawMessage }
	unmarshal(t, w.recorded("fake", "notifications/cancelled")[0].Params, &told)
	if got, want := string(told.RequestID), string(w.recorded("fake", "tools/call")[0].ID); got != want {
		t.Errorf("the server was told that request %s is cancelled, want %s", got, want)
	}
}
