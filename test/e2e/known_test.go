//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// knownOf returns what is known of one server, and its lists for comparison.
func knownOf(e *fakeeditor.Editor, server string) (s editorapi.CatalogServer, lists string) {
	var catalog editorapi.CatalogResult
	e.Call("editord/catalog", object{"server": server, "known": true}, &catalog)
	if len(catalog.Servers) != 1 {
		e.Fatalf("the catalog of %s is %+v", server, catalog)
	}
	s = catalog.Servers[0]
	return s, fmt.Sprintf("%s\n%s\n%s\n%s", s.Tools, s.Prompts, s.Resources, s.ResourceTemplates)
}

// Fault daemon-killed: after a restart, an agent has the whole catalog before any server runs. Its first call
// starts the server, and that one alone.
func TestAgentKnowsServersBeforeTheyRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	odd := json.RawMessage(`{"name":"odd","inputSchema":{"maximum":1.0E+2},"x":"\u003c"}`)
	w.config(servers{
		"one": w.fakeServer("one", fakeserver.Script{Instructions: "Use it.", Tools: []json.RawMessage{odd}, Prompts: []json.RawMessage{json.RawMessage(`{"name":"p"}`)}, Resources: []json.RawMessage{json.RawMessage(`{"uri":"x:y","name":"r"}`)}}),
		"two": w.fakeServer("two", fakeserver.Script{}),
	}.String())
	folder := w.folder("project")
	first := w.attach(in(mcpCapabilities, folder))
	awaitReady(first, "one")
	awaitReady(first, "two")
	await(t, "what both servers offered is kept", func() bool {
		files, err := filepath.Glob(filepath.Join(w.state("catalogs"), "*.json"))
		return err == nil && len(files) == 2
	})
	_, live := knownOf(first, "one")
	daemon := w.daemonPID()
	w.kill(daemon)
	await(t, "nothing is left of the daemon", func() bool { return !alive(daemon) && len(w.processes()) == 0 })

	o := in(mcpCapabilities, folder)
	o.InitializationOptions = json.RawMessage(`{"autoStart":false,"agent":{"name":"Agent"}}`)
	agent := w.attach(o)
	known, lists := knownOf(agent, "one")
	if !known.Earlier || !known.Tried || known.Server.State != editorapi.ServerStopped || known.Server.Instructions != "Use it." {
		t.Errorf("known is %+v", known)
	}
	if lists != live || !strings.Contains(lists, string(odd)) {
		t.Errorf("known is\n%s\nwant\n%s", lists, live)
	}
	started := func(name string) int { return len(w.recorded(name, "initialize")) }
	if started("one") != 1 || started("two") != 1 {
		t.Error("a server was started that nobody called")
	}
	served(agent, "one")
	if started("one") != 2 || started("two") != 1 {
		t.Errorf("the servers were started %d and %d times", started("one"), started("two"))
	}
	if now, lists := knownOf(agent, "one"); now.Earlier || lists != live {
		t.Errorf("of the server that runs, known is %+v", now)
	}
}
