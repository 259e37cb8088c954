//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

const (
	samplingCapabilities = `{"experimental":{"mcp":{"sampling":{}}}}`
	formCapabilities     = `{"experimental":{"mcp":{"elicitation":{"form":{}}}}}`
)

// processOf returns the process that serves e.
func processOf(e *fakeeditor.Editor, name string) int {
	var got struct{ PID int }
	structured(e, name, "process", object{}, &got)
	return got.PID
}

// told returns what each life of a fake server was told that its client can do, without the roots.
func (w *world) told(name string) (declared []string) {
	for _, m := range w.recorded(name, "initialize") {
		caps := rawjson.Get(m.Params, "capabilities")
		declared = append(declared, string(rawjson.Delete(caps, "roots")))
	}
	return declared
}

func wantTold(t *testing.T, w *world, name string, want ...string) {
	t.Helper()
	if got := w.told(name); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the lives of server %s were told %s, want %s", name, got, want)
	}
}

// A terminal and two editors with different abilities share one process, which knows of all that they can answer.
// Who comes later with more has it initialized anew, as long as nobody who is there has used it.
func TestEditorsWithDifferentAbilitiesShareTheirServers(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}})
	folder := w.folder("project")
	first := w.attach(in(samplingCapabilities, folder))
	before := awaitReady(first, "fake")
	second := w.attach(in(formCapabilities, folder))
	awaitServer(first, "fake", "initialized anew", func(s editorapi.Server) bool { return s.State == "ready" && s.PID != before.PID })
	const both = `{"sampling":{},"elicitation":{"form":{}}}`
	wantTold(t, w, "fake", `{"sampling":{}}`, both)

	pid, other := processOf(first, "fake"), processOf(second, "fake")
	out := w.must("call", "--folder", folder, "fake", "process")
	if other != pid || !strings.Contains(out, strconv.Itoa(pid)) {
		t.Errorf("one editor has process %d, the other %d, the terminal %s", pid, other, out)
	}

	// Now that it is used, nobody loses what it holds for them.
	more := w.attach(in(`{"experimental":{"mcp":{"elicitation":{"url":{}}}}}`, folder))
	if got := processOf(more, "fake"); got != pid {
		t.Errorf("the one who came last has process %d, the others %d", got, pid)
	}
	wantTold(t, w, "fake", `{"sampling":{}}`, both)
	request(first, "editord/restartServer", object{"server": "fake"}, nil)
	wantTold(t, w, "fake", `{"sampling":{}}`, both, `{"sampling":{},"elicitation":{"form":{},"url":{}}}`)
	if s := status(first); len(s.Servers) != 1 || s.Counters["initializedAnew"] != 1 {
		t.Errorf("there are %d servers, and %d were initialized anew", len(s.Servers), s.Counters["initializedAnew"])
	}
}

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
	w := newWorld(t)
	odd := json.RawMessage(`{"name":"odd","inputSchema":{"maximum":1.0E+2},"x":"\u003c"}`)
	w.config(servers{
		"one": w.fakeServer("one", fakeserver.Script{Instructions: "Use it.", Tools: []json.RawMessage{odd}, Prompts: []json.RawMessage{json.RawMessage(`{"name":"p"}`)}, Resources: []json.RawMessage{json.RawMessage(`{"uri":"x:y","name":"r"}`)}}),
		"two": w.fakeServer("two", fakeserver.Script{}),
	}.String())
	folder := w.folder("project")
	first := w.attach(in(mcpCapabilities, folder), "one", "two")
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
