//go:build linux || darwin

package e2e

import (
	"fmt"
	"slices"
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

// What is no longer configured is told to be gone, and told again when it comes back.
func TestServerThatIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good, other := w.fakeServer("good", fakeserver.Script{}), w.fakeServer("other", fakeserver.Script{})
	w.config(servers{"good": good, "other": other}.String())
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "good")
	awaitReady(e, "other")
	var gone struct{ Server string }
	w.config(servers{"good": good}.String())
	nth(e, "editord/serverRemoved", 1, &gone)
	if gone.Server != "other" {
		t.Errorf("removed is %q", gone.Server)
	}
	if names := configured(e); !slices.Equal(names, []string{"good"}) {
		t.Errorf("there are still %q", names)
	}
	w.config(servers{"good": good, "other": other}.String())
	await(t, "it is back", func() bool { return len(configured(e)) == 2 && server(e, "other").State == "ready" })

	project := w.folder("another")
	w.workspaceFile(project, servers{"theirs": good})
	changeFolders(e, []string{project}, nil)
	awaitState(e, "theirs", "needsApproval")
	changeFolders(e, nil, []string{project})
	nth(e, "editord/serverRemoved", 2, &gone)
	if gone.Server != "theirs" {
		t.Errorf("removed is %q", gone.Server)
	}
}
