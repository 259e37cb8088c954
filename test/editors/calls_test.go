//go:build linux || darwin

package editors

import (
	"encoding/json"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// issueTools are tools that the fake server lists and does not know: it answers with what it was sent.
var issueTools = []json.RawMessage{
	json.RawMessage(`{"name":"list_issues","description":"Lists issues.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object",
		"properties":{"kind":{"type":"string","enum":["bug","wish"],"description":"What kind."}},"required":["kind"]}}`),
}

// A call is written with completion, run by a code action, and its result stands below it.
func TestCallDocument(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		w := newWorld(t, fakeserver.Script{Plain: true, Tools: issueTools, OnlyTools: true})
		w.write("a.mcp", "call: \nwith:\n  kind: \n")
		w.run("tools", "fake")
		e.start(w, "a.mcp")
		x := e.screenOf()
		e.line(1)
		e.append("fake")
		e.complete("fake.list_issues")
		x.see("call: fake.list_issues")
		e.leave()
		e.line(3)
		e.append("b")
		e.complete("bug")
		x.see("kind: bug")
		e.leave()
		e.line(1)
		e.act("MCP: Run fake.list_issues")
		x.see("result:", "kind")
	})
}
