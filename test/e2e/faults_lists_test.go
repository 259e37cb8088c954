//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault list-flood. At most four listings a second, and the first and the last one.
func TestListChangesManyTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
	begin, before := time.Now(), len(w.recorded("fake", "tools/list"))
	for _, name := range []string{"first", "second", "last"} {
		call(e, "fake", "change", object{"kind": "tools", "add": []object{{"name": name}}, "n": 1000})
	}
	call(e, "fake", "change", object{"kind": "tools", "remove": []string{"second"}, "n": 1000})
	names := toolNames(e, "fake")
	if !slices.Contains(names, "first") || !slices.Contains(names, "last") || slices.Contains(names, "second") {
		t.Errorf("the list is %v", names)
	}
	lists := len(w.recorded("fake", "tools/list")) - before
	if most := 2 + int(4*time.Since(begin).Seconds()); lists > most {
		t.Errorf("after 4000 changes the list was read %d times, want at most %d", lists, most)
	}
}

// Fault endless-list.
func TestListThatNeverEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{
		"loop": w.fakeServer("loop", fakeserver.Script{LoopCursor: true}),
		"good": w.fakeServer("good", fakeserver.Script{PageSize: 3}),
	}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "loop")
	_, err := e.Request("mcp/tools/list", object{"server": "loop"})
	if err == nil || !strings.Contains(err.Message, "twice") {
		e.Fatalf("the list that never ends: %v", err)
	}
	if n := len(w.recorded("loop", "tools/list")); n > 8 {
		t.Errorf("%d pages were asked for", n)
	}
	served(e, "loop")

	awaitReady(e, "good")
	var raw json.RawMessage
	request(e, "mcp/tools/list", object{"server": "good"}, &raw)
	if names := toolNames(e, "good"); len(names) < 20 || !slices.IsSorted(names) || strings.Contains(string(raw), "nextCursor") {
		t.Errorf("the pages joined are %s", raw)
	}
}

// commands returns the command of each tool that a server offers e.
func commands(e *fakeeditor.Editor, server string) map[string]string {
	var result struct {
		Servers []struct {
			Tools []struct {
				Command string
				Tool    struct{ Name string }
			}
		}
	}
	request(e, "editord/catalog", object{"server": server}, &result)
	if len(result.Servers) != 1 {
		e.Fatalf("the catalogue of %s has %d servers", server, len(result.Servers))
	}
	ids := map[string]string{}
	for _, tool := range result.Servers[0].Tools {
		ids[tool.Tool.Name] = tool.Command
	}
	return ids
}

// Fault name-clash.
func TestNamesThatCollide(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 100)
	names := []string{"two words", "two_words", "bell\a", "bell_", long + "1", long + "2", "ütf-8", `"quoted"`}
	script := fakeserver.Script{}
	for _, name := range names {
		script.Tools = append(script.Tools, json.RawMessage(marshal(object{"name": name, "inputSchema": object{"type": "object"}})))
	}
	w := newWorld(t)
	of := []string{"a b", "a_b"}
	w.config(servers{of[0]: w.fakeServer("one", script), of[1]: w.fakeServer("two", script)}.String())
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	other := w.attach(in(mcpCapabilities, folder))
	seen := map[string]bool{}
	for _, server := range of {
		pid := awaitReady(e, server).PID
		awaitReady(other, server)
		ids := commands(e, server)
		for _, name := range names {
			id := ids[name]
			if seen[id] || len(id) > 300 || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) {
				t.Errorf("the tool %q of %s is the command %q", name, server, id)
			}
			seen[id] = true
			var result struct {
				StructuredContent struct{ Params struct{ Name string } }
			}
			request(e, "workspace/executeCommand", object{"command": id, "arguments": []object{{}}}, &result)
			if got := result.StructuredContent.Params.Name; got != name {
				t.Errorf("the command %q called %q", id, got)
			}
		}
		var result struct{ StructuredContent struct{ PID int } }
		request(e, "workspace/executeCommand", object{"command": ids["process"]}, &result)
		if got := result.StructuredContent.PID; got != pid {
			t.Errorf("the command %q reached process %d, want %d", ids["process"], got, pid)
		}
		// Stable: for another editor and after a restart.
		for name, id := range commands(other, server) {
			if ids[name] != id {
				t.Errorf("the tool %q is the command %q for one editor and %q for the other", name, ids[name], id)
			}
		}
		request(e, "editord/restartServer", object{"server": server}, nil)
		for name, id := range commands(e, server) {
			if ids[name] != id {
				t.Errorf("after a restart the tool %q is %q, it was %q", name, id, ids[name])
			}
		}
	}
}
