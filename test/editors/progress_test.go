//go:build linux || darwin

package editors

import (
	"encoding/json"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A call that takes long shows its progress where the editor shows any, and its result stays on the screen after it.
func TestProgress(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		w := newWorld(t, fakeserver.Script{Plain: true, Steps: map[string][]json.RawMessage{
			"tools/call": {json.RawMessage(`{"do":"progress","n":3}`), json.RawMessage(`{"do":"delay","ms":1500}`)},
		}})
		w.write("a.mcp", "call: fake.echo\n")
		w.run("tools", "fake")
		e.start(w, "a.mcp")
		e.command("mcp.tool.fake.echo")
		if text := e.progress(); text != "" {
			e.screenOf().see(text)
		}
		e.screenOf().see("params:")
		w.run("status") // the editor has been told of the end by now
		e.screenOf().see("params:")
	})
}
