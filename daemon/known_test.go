//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// next ends d, and returns the daemon after it.
func (d *Daemon) next(t *testing.T) *Daemon {
	t.Helper()
	d.close()
	return startDaemon(t, d.opts.Paths, nothingLeft)
}

// attachKnowing attaches an agent with these servers.
func attachKnowing(t *testing.T, d *Daemon, folder string, autoStart bool, servers json.RawMessage) (*editor, *screen) {
	t.Helper()
	s := newScreen()
	return attachWith(t, d, s, editorapi.AttachParams{
		Folders: opened(folder), Servers: servers, AutoStart: autoStart, Agent: &editorapi.Agent{Name: "Test"},
	}).(*editor), s
}

// known returns what is known of the server "fake".
func known(t *testing.T, a editorapi.Attachment) editorapi.ServerCatalog {
	t.Helper()
	catalogs, err := a.Catalog(t.Context(), editorapi.CatalogParams{Server: "fake", Known: true})
	if err != nil || len(catalogs) != 1 {
		t.Fatalf("known is %v, %v", catalogs, err)
	}
	return catalogs[0]
}

// scriptFile writes a script that can be replaced without a change of the definition.
func scriptFile(t *testing.T, path string, script fakeserver.Script) string {
	t.Helper()
	encoded, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(encoded))
	return path
}

var oddScript = fakeserver.Script{
	Plain: true, OnlyTools: true, Instructions: "Use\nit \u202e.",
	Tools:             []json.RawMessage{json.RawMessage(`{"name":"a<b>","inputSchema":{"maximum":1.0E+2,"x":"\u003c/"},"x-unknown":[9007199254740993,null]}`), json.RawMessage(`{"name":"secret"}`)},
	Prompts:           []json.RawMessage{json.RawMessage(`{"name":"p"}`)},
	Resources:         []json.RawMessage{json.RawMessage(`{"uri":"file:///r","name":"r"}`)},
	ResourceTemplates: []json.RawMessage{json.RawMessage(`{"uriTemplate":"file:///{x}","name":"t"}`)},
}

// The next daemon knows all that a server offered before anybody starts it, and an agent's first call
// starts it.
func TestWhatServersOfferIsKnownBeforeTheyRun(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	servers := fakeDefinition(t, scriptFile(t, filepath.Join(folder, "script"), oddScript))
	first, s := attachKnowing(t, d, folder, true, servers)
	ready := s.await(t, "ready")
	live := known(t, first)
	if live.Earlier || !live.Tried {
		t.Errorf("of a server that is ready, earlier is %v and tried %v", live.Earlier, live.Tried)
	}
	d = d.next(t)
	files, err := filepath.Glob(filepath.Join(d.opts.Paths.CatalogsDir(), "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept is %q, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v", info, err)
	}

	agent, s := attachKnowing(t, d, folder, true, servers)
	earlier := known(t, agent)
	if !earlier.Earlier || !earlier.Tried || !reflect.DeepEqual(earlier.Offer, live.Offer) {
		t.Errorf("earlier is %v, tried %v, and the offers are equal: %v", earlier.Earlier, earlier.Tried, reflect.DeepEqual(earlier.Offer, live.Offer))
	}
	got := earlier.Server
	if got.State != "stopped" || got.Instructions != ready.Instructions || got.ProtocolVersion != ready.ProtocolVersion ||
		string(got.Capabilities) != string(ready.Capabilities) || string(got.ServerInfo) != string(ready.ServerInfo) || got.PID != 0 {
		t.Errorf("known is %+v, was %+v", got, ready)
	}
	if again := known(t, agent); again.Offer != earlier.Offer {
		t.Error("the offer is made for each who asks")
	}
	if _, err := agent.Catalog(t.Context(), editorapi.CatalogParams{}); err != nil || len(agent.Offers("")) != 0 {
		t.Error("commands are offered of a server that does not run")
	}
	hiding := fakeDefinitions(t, filepath.Join(folder, "script"), map[string]any{"secret": map[string]bool{"hidden": true}}, "fake")
	other := attachWith(t, d, newScreen(), editorapi.AttachParams{Folders: opened(folder), Servers: hiding})
	if hidden := known(t, other); commandsIn(hidden.Offer) >= commandsIn(earlier.Offer) || other.(*editor).connection("fake") != agent.connection("fake") {
		t.Error("what is hidden is known")
	}

	if result, err := call(t.Context(), agent, "tools/call", `{"name":"none"}`); err == nil {
		t.Errorf("a tool that is not there returned %s", result)
	}
	s.await(t, "ready")
	if now := known(t, agent); now.Earlier || !reflect.DeepEqual(now.Offer, live.Offer) {
		t.Errorf("of the server that runs, earlier is %v", now.Earlier)
	}
	d.mu.Lock()
	if agent.on["fake"].earlier != nil {
		t.Error("what was known is still in memory")
	}
	d.mu.Unlock()
	does(t, other.StopServer("fake"))
	if stopped := known(t, agent); !stopped.Earlier || !reflect.DeepEqual(stopped.Offer, live.Offer) || stopped.Server.Instructions != ready.Instructions {
		t.Errorf("of the server that was stopped, known is %+v", stopped)
	}
}

// Of a server that may not run, nothing is known, though it has run. Nor of one that is disabled.
func TestNothingIsKnownOfServersThatMayNotRun(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	servers := fakeDefinition(t, scriptFile(t, filepath.Join(folder, "script"), oddScript))
	writeFile(t, filepath.Join(folder, ".mcp.json"), `{"mcpServers":`+string(servers)+"}")
	_, s := attachKnowing(t, d, folder, true, nil)
	asked := s.await(t, "needsApproval")
	person := attachWith(t, d, newScreen(), editorapi.AttachParams{Folders: opened(folder)})
	if _, err := person.ApproveServer(t.Context(), "fake", asked.Digest, editorapi.DecisionAllow); err != nil {
		t.Fatal(err)
	}
	s.await(t, "ready")
	if err := person.RevokeApproval(asked.Digest); err != nil {
		t.Fatal(err)
	}
	d = d.next(t)
	a, _ := attachKnowing(t, d, folder, true, nil)
	if got := known(t, a); got.Offer != nil || got.Earlier || got.Tried || got.Server.State != "needsApproval" || got.Server.Instructions != "" {
		t.Errorf("known is %+v", got)
	}
	all, err := a.Catalog(t.Context(), editorapi.CatalogParams{Known: true})
	if err != nil || !slices.ContainsFunc(all, func(c editorapi.ServerCatalog) bool { return c.Server.Name == "fake" && c.Offer == nil }) {
		t.Errorf("all that is known is %v, %v", all, err)
	}
	if _, err := call(t.Context(), a, "tools/list", `{}`); err == nil {
		t.Error("an unapproved server was called")
	}
}

// An agent's attach starts the servers of which nothing is known. It leaves those alone that are known.
func TestAgentsStartWhatNobodyKnows(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	dead := json.RawMessage(`{"fake":{"command":"/nowhere/at/all"}}`)
	a, _ := attachKnowing(t, d, folder, false, dead)
	if got := known(t, a); got.Tried || got.Offer != nil || got.Server.State != "stopped" {
		t.Errorf("before anything was started, known is %+v", got)
	}
	a, s := attachKnowing(t, d, folder, true, dead)
	s.await(t, "failed")
	if got := known(t, a); !got.Tried || got.Offer != nil {
		t.Errorf("of a server that failed, tried is %v, and the offer is %v", got.Tried, got.Offer)
	}
	d = d.next(t)
	a, _ = attachKnowing(t, d, folder, false, dead)
	if got := known(t, a); !got.Tried || got.Earlier || got.Offer != nil {
		t.Errorf("after a restart, tried is %v, earlier %v, and the offer is %v", got.Tried, got.Earlier, got.Offer)
	}

	servers := fakeDefinitions(t, scriptFile(t, filepath.Join(folder, "script"), oddScript), nil, "fake", "new")
	_, s = attachKnowing(t, d, folder, true, servers)
	s.awaitNews(t, "fake ready")
	s.awaitNews(t, "new ready")
	d = d.next(t)
	servers = fakeDefinitions(t, filepath.Join(folder, "script"), nil, "fake", "newer")
	a, s = attachKnowing(t, d, folder, true, servers)
	s.awaitNews(t, "newer ready")
	if state := a.Servers()[0]; state.Name != "fake" || state.State != "stopped" {
		t.Errorf("the server that is known is %+v", state)
	}
	s = newScreen()
	attachWith(t, d, s, editorapi.AttachParams{Folders: opened(folder), Servers: servers, AutoStart: true, DynamicCommands: true})
	s.awaitNews(t, "fake ready")
}

// Who got what a server offered before is told when it offers nothing of it any more.
func TestLiveListsReplaceWhatWasKnown(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	script := filepath.Join(folder, "script")
	servers := fakeDefinition(t, scriptFile(t, script, oddScript))
	_, s := attachKnowing(t, d, folder, true, servers)
	s.await(t, "ready")
	d = d.next(t)
	scriptFile(t, script, fakeserver.Script{Plain: true, OnlyTools: true})
	a, s := attachKnowing(t, d, folder, true, servers)
	if got := known(t, a); !got.Earlier {
		t.Fatalf("known is %+v", got)
	}
	does(t, a.StartServer("fake"))
	s.until(t, "told of all lists", func() bool {
		for _, kind := range []string{"fake tools", "fake prompts", "fake resources"} {
			if !slices.Contains(s.changed, kind) {
				return false
			}
		}
		return true
	})
	if got := known(t, a); got.Earlier || commandsIn(got.Offer) != 0 {
		t.Errorf("known is %+v", got)
	}
	d = d.next(t)
	a, _ = attachKnowing(t, d, folder, true, servers)
	if got := known(t, a); !got.Earlier || commandsIn(got.Offer) != 0 {
		t.Errorf("the next daemon knows %+v", got)
	}
}

// Fault disk-hangs: an editor that asks what is known waits a moment for the disk, and is told when it has
// answered.
func TestWhatIsKnownWhileTheDiskHangs(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	servers := fakeDefinition(t, scriptFile(t, filepath.Join(folder, "script"), oddScript))
	_, s := attachKnowing(t, d, folder, true, servers)
	s.await(t, "ready")
	d = d.next(t)
	for range maxKeptReads {
		d.catalogs.reading <- struct{}{}
	}
	a, s := attachKnowing(t, d, folder, true, servers)
	if got := known(t, a); got.Earlier || got.Offer != nil {
		t.Fatalf("the disk has answered, which shows nothing: %+v", got)
	}
	<-d.catalogs.reading
	s.until(t, "told of what is known", func() bool { return slices.Contains(s.changed, "fake tools") })
	if got := known(t, a); !got.Earlier || got.Offer == nil {
		t.Errorf("known is %+v", got)
	}
}

// Without memory for it, what is known is read for each who asks.
func TestWhatIsKnownIsBounded(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	servers := fakeDefinition(t, scriptFile(t, filepath.Join(folder, "script"), oddScript))
	_, s := attachKnowing(t, d, folder, true, servers)
	s.await(t, "ready")
	d = d.next(t)
	a, _ := attachKnowing(t, d, folder, false, servers)
	c := a.connection("fake")
	if !c.memory.Acquire(serverMemory) {
		t.Fatal("there is less memory than there should be")
	}
	for range 2 {
		if got := known(t, a); !got.Earlier || len(a.connection("fake").offeringTools(t)) == 0 {
			t.Errorf("known is %+v", got)
		}
	}
	d.mu.Lock()
	kept := a.on["fake"].earlier
	d.mu.Unlock()
	if kept != nil {
		t.Error("it is kept without memory")
	}
	c.memory.Release(serverMemory)
	known(t, a)
	if c.memory.Used() == 0 {
		t.Error("it is not counted")
	}
	a.Close()
	c.finish()
	if used := c.memory.Used(); used != 0 {
		t.Errorf("%d bytes are left", used)
	}
}

// offeringTools returns the tools of the last offering.
func (c *connection) offeringTools(t *testing.T) []json.RawMessage {
	t.Helper()
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if len(c.offerings) == 0 {
		return nil
	}
	return c.offerings[len(c.offerings)-1].sight.lists.Of(wire.ListTools)
}
