//go:build linux || darwin

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// client attaches a program of ours, which has one folder open, to a daemon that it starts if there is none.
func (w *world) client(folder string, o editorapi.ClientOptions) *editorapi.Client {
	w.t.Helper()
	if _, stderr, code := w.run("start"); code != 0 {
		w.t.Fatalf("the daemon does not start: %s", stderr)
	}
	o.Folders, o.Environment = []editorapi.Folder{{URI: fileuri.FromPath(folder), Name: "w"}}, map[string]string{}
	for _, entry := range w.env() {
		name, value, _ := strings.Cut(entry, "=")
		o.Environment[name] = value
	}
	c, err := editorapi.NewClient(w.t.Context(), w.dial(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// killDaemon kills the daemon, and waits until nothing of its servers is left.
func (w *world) killDaemon() {
	w.t.Helper()
	pid := w.daemonPID()
	w.kill(pid)
	await(w.t, "nothing is left of the daemon", func() bool { return !alive(pid) && len(w.processes()) == 0 })
}

// awaitKept waits until n files say what servers offered.
func (w *world) awaitKept(n int) {
	w.t.Helper()
	await(w.t, fmt.Sprintf("there are %d files of what servers offered", n), func() bool {
		files, err := filepath.Glob(filepath.Join(w.state("catalogs"), "*.json"))
		return err == nil && len(files) == n
	})
}

// knownOf returns what is known of one server.
func knownOf(t *testing.T, c *editorapi.Client, server string) editorapi.CatalogServer {
	t.Helper()
	answer, err := c.Catalog(t.Context(), editorapi.CatalogParams{Server: server, Known: true})
	if err != nil || len(answer.Value.Servers) != 1 {
		t.Fatalf("the catalog of %s is %s, %v", server, answer.Raw, err)
	}
	return answer.Value.Servers[0]
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
	first := w.client(folder, editorapi.ClientOptions{Name: "first"})
	for _, name := range []string{"one", "two"} {
		if s, err := first.StartServer(t.Context(), name); err != nil || s.State != editorapi.ServerReady {
			t.Fatalf("the server %s is %+v, %v", name, s, err)
		}
	}
	live := knownOf(t, first, "one")
	w.awaitKept(2)
	w.killDaemon()

	agent := w.client(folder, editorapi.ClientOptions{Name: "agent", Agent: &editorapi.Agent{Name: "Agent"}})
	known := knownOf(t, agent, "one")
	if !known.Earlier || !known.Tried || known.Server.State != editorapi.ServerStopped || known.Server.Instructions != "Use it." {
		t.Errorf("known is %+v", known)
	}
	if got, want := offersOf(known), offersOf(live); got != want || !strings.Contains(got, string(odd)) {
		t.Errorf("known is\n%s\nwant\n%s", got, want)
	}
	started := func(name string) int { return len(w.recorded(name, "initialize")) }
	if started("one") != 1 || started("two") != 1 {
		t.Error("a server was started that nobody called")
	}
	result, err := agent.CallTool(t.Context(), "one", "echo", json.RawMessage(`{"a":1.0}`), nil)
	if err != nil || string(rawjson.Path(result, "structuredContent", "params", "arguments")) != `{"a":1.0}` {
		t.Errorf("the first call came to %s, %v", result, err)
	}
	if started("one") != 2 || started("two") != 1 {
		t.Errorf("the servers were started %d and %d times", started("one"), started("two"))
	}
	if now := knownOf(t, agent, "one"); now.Earlier || offersOf(now) != offersOf(live) {
		t.Errorf("of the server that runs, known is %+v", now)
	}
}

// offersOf returns the lists of a server, for comparison.
func offersOf(s editorapi.CatalogServer) string {
	return fmt.Sprintf("%s\n%s\n%s\n%s", s.Tools, s.Prompts, s.Resources, s.ResourceTemplates)
}

// Fault start-silence: with dead and slow servers among many, what is known comes at once, and calls to the
// others are served.
func TestCatalogWaitsForNoServer(t *testing.T) {
	t.Parallel()
	const good, dead, slow = 25, 3, 2
	w := newWorld(t)
	all := servers{}
	add := func(kind string, n int, definition map[string]any) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf("%s%02d", kind, i))
			all[names[i]] = definition
		}
		return names
	}
	goods := add("good", good, w.fakeServer("good", fakeserver.Script{}))
	deads := add("dead", dead, map[string]any{"command": "/nowhere/at/all"})
	hangs := fakeserver.Script{Steps: map[string][]json.RawMessage{"initialize": {json.RawMessage(`{"do":"hang"}`)}, "server/discover": {json.RawMessage(`{"do":"hang"}`)}}}
	slows := add("slow", slow, w.fakeServer("slow", hangs)) // for as long as the test takes: see startTimeout
	for _, name := range slows {
		all[name].(map[string]any)["startTimeout"] = "1h"
	}
	w.config(all.String())
	folder := w.folder("project")
	w.client(folder, editorapi.ClientOptions{Name: "first", AutoStart: true})
	w.awaitKept(good + dead)
	w.killDaemon()

	agent := w.client(folder, editorapi.ClientOptions{Name: "agent", AutoStart: true, Agent: &editorapi.Agent{Name: "Agent"}})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	answer, err := agent.Catalog(ctx, editorapi.CatalogParams{Known: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range answer.Value.Servers {
		name := s.Server.Name
		switch {
		case slices.Contains(goods, name):
			if !s.Earlier || !s.Tried || len(s.Tools) == 0 || s.Server.State != editorapi.ServerStopped {
				t.Errorf("%s is %s, earlier %v, and has %d tools", name, s.Server.State, s.Earlier, len(s.Tools))
			}
		case slices.Contains(deads, name):
			if !s.Tried || len(s.Tools) != 0 {
				t.Errorf("%s was tried: %v, and has %d tools", name, s.Tried, len(s.Tools))
			}
		case slices.Contains(slows, name):
			if s.Tried || s.Server.State == editorapi.ServerReady {
				t.Errorf("%s is %s, tried %v", name, s.Server.State, s.Tried)
			}
		}
	}
	for _, name := range goods[:3] {
		if _, err := agent.CallTool(ctx, name, "echo", json.RawMessage(`{}`), nil); err != nil {
			t.Errorf("a call to %s failed: %v", name, err)
		}
	}
	var own *editorapi.Error
	if _, err := agent.CallTool(ctx, deads[0], "echo", json.RawMessage(`{}`), nil); !errors.As(err, &own) || own.Kind != editorapi.KindServerNotReady {
		t.Errorf("a call to a dead server: %v", err)
	}
	list, err := agent.Servers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Value.Servers {
		if slices.Contains(slows, s.Name) && s.State == editorapi.ServerReady {
			t.Errorf("%s is ready, so nothing is shown", s.Name)
		}
		if slices.Contains(goods[3:], s.Name) && s.State != editorapi.ServerStopped {
			t.Errorf("%s is %s, though nobody called it", s.Name, s.State)
		}
	}
}
