package editorapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// A command about what is not there says so, and what to do.
func TestConstantCommandsSayWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ name, command, argument, want string }{
		{"no such server", "mcp.call", `{"server":"x","tool":"t"}`, `there is no server "x" in this workspace`},
		{"no such tool", "mcp.call", `{"server":"s","tool":"x"}`, `server "s" has no tool "x"; to list its tools`},
		{"no such tool to edit", "mcp.call", `{"server":"s","tool":"x","edit":true}`, `server "s" has no tool "x"; to list its tools`},
		{"no such prompt", "mcp.prompt", `{"server":"s","prompt":"x"}`, `server "s" has no prompt "x"; to list its prompts`},
		{"tools of no server", "mcp.tools", `{"server":"x"}`, `there is no server "x" in this workspace`},
		{"a server without tools", "mcp.tools", `{"server":"none"}`, `server "none" has no tools`},
		{"a server that has failed", "mcp.tools", `{"server":"failed"}`, `server "failed" is not ready`},
		{"arguments that are none", "mcp.call", `{"server":"s","tool":"t","arguments":5}`, `"arguments[0].arguments" is not an object`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.setCatalogs(offer("s", "t"))
			b.setServers(Server{Name: "s", State: ServerReady}, Server{Name: "none", State: ServerReady}, Server{Name: "failed", State: ServerFailed})
			e := open(t, b, fakeeditor.Options{})
			e.Request("workspace/executeCommand", json.RawMessage(`{"command":"`+test.command+`","arguments":[`+test.argument+`]}`))
			if message := said(e); !strings.Contains(message, test.want) {
				t.Errorf("it says %q", message)
			}
		})
	}
}
