//go:build linux || darwin

package e2e

import (
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

const samplingTool = "trigger-sampling-request"

// A server decides by what it is told what it offers. It is told what anybody in the folder can answer.
func TestEverythingOffersSamplingWhereSomebodyCan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	able := w.attach(in(allCapabilities, w.folder("project")))
	beside := w.attach(in(mcpCapabilities, w.folder("project")))
	alone := w.attach(in(mcpCapabilities, w.folder("elsewhere")))
	for _, e := range []*fakeeditor.Editor{able, beside, alone} {
		awaitReady(e, "everything")
		// Offered to every client with roots, by the same function as the one in question.
		await(t, "the tools that depend on the client are there", func() bool {
			return slices.Contains(toolNames(e, "everything"), "get-roots-list")
		})
	}
	for _, e := range []*fakeeditor.Editor{able, beside} {
		if !slices.Contains(toolNames(e, "everything"), samplingTool) {
			t.Error("an editor of the folder is not offered the tool that samples")
		}
	}
	if slices.Contains(toolNames(alone, "everything"), samplingTool) {
		t.Error("the tool that samples is offered where nobody can sample")
	}
}
