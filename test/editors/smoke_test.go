//go:build linux || darwin

package editors

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// An editor attaches by the lines that the documentation gives, runs a tool as a command, and shows its result and its error.
func TestCommands(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		w := newWorld(t, fakeserver.Script{Plain: true})
		w.write("a.mcp", "call: fake.echo\n")
		w.run("tools", "fake") // from now on its commands are known when an editor attaches
		e.start(w, "a.mcp")
		e.command("mcp.tool.fake.refuse")
		e.screenOf().see("refuse:")
		e.command("mcp.tool.fake.echo")
		e.screenOf().see("params:")
	})
}
