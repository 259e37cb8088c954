//go:build linux || darwin

package e2e

import (
	"fmt"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A project with more servers than anybody has keeps no editor from anything: the user's own server
// runs, one question is asked, and who puts it off is asked nothing more but what he asks for.
func TestPromise8ProjectWithManyServers(t *testing.T) {
	t.Parallel()
	u := newUntrusted(t)
	many := servers{}
	for i := range 1500 {
		many[fmt.Sprintf("s%04d", i)] = u.fakeServer("many", fakeserver.Script{})
	}
	u.workspaceFile(u.folder, many)
	o, answers := u.asker(allCapabilities, "editord/approve")
	e := u.attach(o)
	asked := question(e, 1)
	awaitReady(e, "good")
	names := configured(e)
	if len(names) < 3 {
		t.Fatalf("the servers are %q", names)
	}
	answers <- object{"decision": "later"}
	var other string
	for _, name := range names {
		if name != asked.Server && name != "good" {
			other = name
		}
	}
	starting := e.Start("editord/startServer", object{"server": other})
	if next := question(e, 2); next.Server != other {
		t.Errorf("after it was put off, asked is about %s, want %s", next.Server, other)
	}
	answers <- object{"decision": "later"}
	_, err := starting.Wait()
	wantError(e, "starting what was put off", err, "serverNotReady", -32803)
	if n := received(e, "editord/approve"); n != 2 {
		t.Errorf("%d questions were asked", n)
	}
}
