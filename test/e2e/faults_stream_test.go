//go:build linux || darwin

package e2e

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault message-flood. Neither the editor that floods itself nor one that does not read meanwhile is cut off.
func TestFloodOfNotifications(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"flood": w.fakeServer("flood", fakeserver.Script{}), "good": w.fakeServer("good", fakeserver.Script{})}.String())
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	other := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "flood")
	awaitReady(other, "good")
	pending := e.Start("mcp/tools/call", toolCall("flood", "flood", object{"to": "notifications", "bytes": 2 << 20}))
	served(other, "good")
	other.Stall()
	if _, err := pending.Wait(); err != nil {
		t.Fatalf("the call that floods: %v", err)
	}
	served(e, "flood")
	call(e, "flood", "flood", map[string]any{"to": "notifications", "bytes": 2 << 20})
	other.Resume()
	served(other, "flood")

	for _, editor := range []*fakeeditor.Editor{e, other} {
		editor.AwaitMethod("mcp/notifications/message")
		n := 0
		for _, m := range editor.Messages() {
			if m.Method == "mcp/notifications/message" {
				n++
			}
		}
		if n > 4000 { // of 44,000; no matter how slow this machine is
			t.Errorf("%d messages reached an editor", n)
		}
	}
	if leftOut := status(e).Counters["notificationsLeftOut"]; leftOut == 0 {
		t.Error("nothing was left out: that was no flood")
	}
}
