//go:build linux || darwin

package e2e

import (
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A server of --server that is not there may come: until then the agent is told what to do.
func TestAgentOfAServerThatIsNotThere(t *testing.T) {
	w := newWorld(t)
	w.config(servers{}.String())
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"), "--server", "later")
	if got := string(a.result("tools/list", `{}`)); got != `{"tools":[]}` {
		t.Errorf("the tools are %s", got)
	}
	if got := a.call("echo", `{}`); !got.IsError || !strings.Contains(got.text(), `"later"`) || !strings.Contains(got.text(), "mcp-editord servers") {
		t.Errorf("a call says %q", got.text())
	}
	w.config(servers{"later": w.fakeServer("later", fakeserver.Script{})}.String())
	a.awaitMethod("notifications/tools/list_changed")
	if got := string(a.result("tools/list", `{}`)); !strings.Contains(got, `"name":"echo"`) {
		t.Errorf("the tools are %s", got)
	}
	if got := a.call("echo", `{}`); got.IsError {
		t.Errorf("a call says %q", got.text())
	}
	for _, args := range [][]string{{"--server", ""}, {"--folder", "/nowhere"}, {"--name-limit", "-1"}, {"--result-limit", "-1"}} {
		if _, said, code := w.run(append([]string{"mcp"}, args...)...); code == 0 || !strings.Contains(said, strings.TrimSuffix(args[0], "-limit")) {
			t.Errorf("%q ends with %d and %q", args, code, said)
		}
	}
}
