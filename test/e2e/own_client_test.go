//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// An editor with an MCP client of its own leaves the servers of that client's files to it. An editor
// without one gets them from the daemon, at the same time and in the same folder.
func TestOwnClientRunsItsServersItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	w.write(filepath.Join(folder, ".vscode", "mcp.json"), servers{"theirs": w.fakeServer("theirs", fakeserver.Script{})}.String())
	w.config(servers{"good": w.fakeServer("good", fakeserver.Script{})}.String())
	u := &untrusted{world: w}
	o, _ := u.asker(allCapabilities, "editord/approve")
	o.Folders = uris(folder)
	o.InitializationOptions = json.RawMessage(marshal(object{"ownClient": object{"name": "VS Code", "files": []string{".vscode/mcp.json"}}}))
	e := w.attach(o)
	awaitReady(e, "good")
	if view := awaitNow(e, "theirs", "disabled"); view.RunBy != "VS Code" {
		t.Errorf("it is %+v", view)
	}
	if _, err := e.Request("editord/startServer", object{"server": "theirs"}); err == nil || !strings.Contains(err.Message, "VS Code") {
		t.Errorf("starting it: %v", err)
	}

	o, answers := u.asker(allCapabilities, "editord/approve")
	o.Folders = uris(folder)
	other := w.attach(o)
	if asked := question(other, 1); asked.Server != "theirs" {
		t.Errorf("it asks about %+v", asked)
	}
	answers <- object{"decision": "allow"}
	awaitReady(other, "theirs")
	if got := call(e, "good", "echo", map[string]any{"message": "here"}); got.IsError {
		t.Errorf("a call of another server: %+v", got)
	}
	if received(e, "editord/approve") > 0 {
		t.Error("the first editor was asked")
	}
	if view := server(e, "theirs"); view.State != "disabled" || view.PID != 0 {
		t.Errorf("for the first editor it is %+v", view)
	}
}
