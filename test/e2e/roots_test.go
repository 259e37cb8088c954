//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

const rootsChanged = "notifications/roots/list_changed"

// told returns what a fake server gets when it asks for its roots.
func told(e *fakeeditor.Editor, server string) []string {
	var result struct {
		Answer struct {
			Result struct{ Roots []struct{ URI, Name string } }
		}
	}
	structured(e, server, "ask_roots", object{}, &result)
	list := []string{}
	for _, r := range result.Answer.Result.Roots {
		list = append(list, r.URI)
	}
	return list
}

// Fault folder-gone. The server learns of the folder in which it runs, and cannot be
// started there while the folder is gone.
func TestPromise7FolderThatGoesAndComesBack(t *testing.T) {
	w := newWorld(t)
	definition := w.fakeServer("fake", fakeserver.Script{})
	definition["cwd"] = "${workspaceFolder}"
	w.config(servers{"fake": definition}.String())
	folder := w.folder("project")
	o := in(mcpCapabilities, folder)
	o.InitializationOptions = json.RawMessage(`{"trusted": true}`)
	e := w.attach(o, "fake")
	both := uris(folder)
	if got := told(e, "fake"); !slices.Equal(got, both) {
		t.Fatalf("the server is told %q", got)
	}
	// after waits until the server has heard of a change.
	after := func(change func() error) {
		t.Helper()
		before := len(w.recorded("fake", rootsChanged))
		if err := change(); err != nil {
			t.Fatal(err)
		}
		await(t, "the server has heard of it", func() bool { return len(w.recorded("fake", rootsChanged)) > before })
	}
	after(func() error { return os.Rename(folder, folder+".away") })
	if got := told(e, "fake"); len(got) != 0 {
		t.Errorf("without its folder the server is told %q", got)
	}
	request(e, "editord/restartServer", object{"server": "fake"}, nil)
	if v := server(e, "fake"); v.State != "failed" || v.Error == nil || v.Error.Kind != "spawn" {
		t.Errorf("without its folder the server was started and is %+v", v)
	}

	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	await(t, "the root is back", func() bool { return slices.Equal(rootsOf(e, "fake"), both) })
	request(e, "editord/startServer", object{"server": "fake"}, nil)
	if got := told(e, "fake"); !slices.Equal(got, both) {
		t.Errorf("with its folder the server is told %q", got)
	}
	after(func() error { return os.RemoveAll(folder) })
	after(func() error { return os.Mkdir(folder, 0o755) })
	if got := told(e, "fake"); !slices.Equal(got, both) {
		t.Errorf("with a new folder the server is told %q", got)
	}
}

// Fault mixed-folders, by scope.
func TestScopes(t *testing.T) {
	w := newWorld(t)
	s := servers{}
	for _, scope := range []string{"session", "workspace", "user"} {
		s[scope] = w.fakeServer(scope, fakeserver.Script{})
		s[scope].(map[string]any)["scope"] = scope
	}
	w.config(s.String())
	one, two := w.folder("one"), w.folder("two")
	a := w.attach(in(mcpCapabilities, one))
	b := w.attach(in(mcpCapabilities, one))
	c := w.attach(in(mcpCapabilities, two))
	editors := []*fakeeditor.Editor{a, b, c}
	pids := map[string][]int{}
	for scope := range s {
		for _, e := range editors {
			pids[scope] = append(pids[scope], awaitReady(e, scope).PID)
		}
	}
	for scope, p := range pids {
		shared := map[string]bool{"session": false, "workspace": p[0] == p[1], "user": p[0] == p[1] && p[1] == p[2]}[scope]
		apart := map[string]bool{"session": p[0] != p[1] && p[1] != p[2] && p[0] != p[2], "workspace": p[1] != p[2]}[scope]
		if (scope != "session" && !shared) || (scope != "user" && !apart) {
			t.Errorf("with scope %s the processes are %v", scope, p)
		}
	}
	all := uris(one, two)
	for i, e := range editors {
		own := all[i/2 : i/2+1]
		for scope, want := range map[string][]string{"session": own, "workspace": own, "user": all} {
			await(t, "the roots are those of the scope", func() bool { return slices.Equal(told(e, scope), want) })
		}
	}
	// What an editor adds, only those hear of who share the server.
	three := w.folder("three")
	before := len(w.recorded("workspace", rootsChanged))
	changeFolders(c, []string{three}, nil)
	await(t, "the server of all has heard of it", func() bool { return slices.Equal(told(a, "user"), uris(one, two, three)) })
	await(t, "the server of the editor has heard of it", func() bool { return slices.Equal(told(c, "workspace"), uris(two, three)) })
	for _, e := range editors[:2] {
		if got := told(e, "workspace"); !slices.Equal(got, all[:1]) {
			t.Errorf("the server of other folders is told %q", got)
		}
	}
	if got := len(w.recorded("workspace", rootsChanged)) - before; got > 1 {
		t.Errorf("the servers were told %d times, want one of them once", got)
	}
}

// What a glob leaves out is a problem of its server: an editor is told, and the terminal shows it.
func TestRootsThatAreLeftOut(t *testing.T) {
	w := newWorld(t)
	folder := w.folder("project")
	for i := range 1001 {
		w.folder(fmt.Sprintf("project/packages/p%04d", i))
	}
	definition := w.fakeServer("fake", fakeserver.Script{})
	definition["roots"] = []string{"packages/*"}
	w.config(servers{"fake": definition}.String())
	e := w.attach(in(mcpCapabilities, folder), "fake")
	await(t, "the editor is told of the problem", func() bool { return len(server(e, "fake").Problems) == 1 })
	for _, command := range [][]string{{"status"}, {"servers", "--folder", folder}} {
		if out, errOut, _ := w.run(command...); !strings.Contains(out, "make the globs narrower") {
			t.Errorf("mcp-editord %s does not show the problem:\n%s%s", command[0], out, errOut)
		}
	}
}
