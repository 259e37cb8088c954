//go:build linux || darwin

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

func TestEditorsOnOneFolderShareTheirServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{
		"filesystem": npmServer(t, "server-filesystem"),
		"everything": npmServer(t, "server-everything"),
	}.String())
	folder := w.folder("project")
	first := w.attach(in(mcpCapabilities, folder))
	second := w.attach(in(mcpCapabilities, folder))
	for _, name := range []string{"filesystem", "everything"} {
		a, b := awaitReady(first, name), awaitReady(second, name)
		if a.PID == 0 || a.PID != b.PID {
			t.Errorf("%s is process %d for one editor and %d for the other", name, a.PID, b.PID)
		}
	}
	for _, s := range status(first).Servers {
		if len(s.Editors) != 2 {
			t.Errorf("server %s is shared by the editors %v, want both", s.Server.Name, s.Editors)
		}
	}
	// One leaves; the other is not disturbed.
	first.Vanish()
	await(t, "the daemon has noticed", func() bool { return len(status(second).Editors) == 1 })
	if got := call(second, "everything", "echo", map[string]any{"message": "alone"}); !strings.Contains(got.text(), "alone") {
		t.Errorf("a call after the other editor has gone: %+v", got)
	}
}

// Fault mixed-folders.
func TestEditorsOnDifferentFoldersNeverSeeEachOthersRoots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"filesystem": npmServer(t, "server-filesystem")}.String())
	one, two, three := w.folder("one"), w.folder("two"), w.folder("three")
	first := w.attach(in(mcpCapabilities, one))
	second := w.attach(in(mcpCapabilities, two))
	if a, b := awaitReady(first, "filesystem"), awaitReady(second, "filesystem"); a.PID == b.PID {
		t.Fatalf("both editors are served by process %d", a.PID)
	}
	await(t, "the first server knows the first editor's folder", func() bool { return slices.Equal(allowed(first), []string{one}) })
	await(t, "the second server knows the second editor's folder", func() bool { return slices.Equal(allowed(second), []string{two}) })

	changeFolders(first, []string{three}, nil)
	await(t, "the first server knows the folder that was added", func() bool { return slices.Equal(allowed(first), []string{one, three}) })
	if got := allowed(second); !slices.Equal(got, []string{two}) {
		t.Errorf("the second server was told %v", got)
	}
	for _, e := range []*fakeeditor.Editor{first, second} {
		if got, want := rootsOf(e, "filesystem"), uris(allowed(e)...); !slices.Equal(got, want) {
			t.Errorf("mcp/roots/list says %v, the server was told %v", got, want)
		}
	}

	// An editor that moves to the other's folder moves to the other's server.
	changeFolders(first, []string{two}, []string{one, three})
	pid := server(second, "filesystem").PID
	awaitServer(first, "filesystem", "the second editor's", func(s editorapi.Server) bool { return s.State == "ready" && s.PID == pid })
}

// Fault start-race.
func TestTenEditorsAtOnceMakeOneDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	const n = 10
	var shims []*process
	for range n {
		shims = append(shims, w.spawn("attach"))
	}
	var editors []*fakeeditor.Editor
	var greetings []*fakeeditor.Pending
	for _, shim := range shims {
		e := fakeeditor.New(t, shim, in(mcpCapabilities, folder))
		w.editors = append(w.editors, e)
		editors = append(editors, e)
		greetings = append(greetings, e.Start("initialize", e.InitializeParams()))
	}
	for i, e := range editors {
		if _, err := greetings[i].Wait(); err != nil {
			e.Fatalf("initialize of editor %d: %v", i+1, err)
		}
		e.Notify("initialized", map[string]any{})
	}
	pid := w.daemonPID()
	for i, e := range editors {
		if s := status(e); s.PID != pid || len(s.Editors) != n {
			t.Errorf("editor %d is attached to daemon %d with %d editors, want %d with %d", i+1, s.PID, len(s.Editors), pid, n)
		}
	}
	for i, shim := range shims {
		if said := shim.stderr.String(); said != "" {
			t.Errorf("attach %d says: %s", i+1, said)
		}
	}
}

// Fault server-killed.
func TestKilledServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	before := awaitReady(e, "everything")

	params := toolCall("everything", "trigger-long-running-operation", map[string]any{"duration": 600, "steps": 60000})
	params["workDoneToken"] = "the token"
	pending := e.Start("mcp/tools/call", params)
	e.Await("the first step", func(m fakeeditor.Message) bool {
		return m.Method == "$/progress" && strings.Contains(string(m.Params), `"report"`)
	}, pending)
	w.kill(before.PID)
	if _, err := pending.Wait(); err == nil || err.Kind() != "serverGone" || err.Code != -32803 {
		t.Errorf("the call under way: %v", err)
	}
	restarting := awaitServer(e, "everything", "restarting", func(s editorapi.Server) bool { return s.State == "restarting" })
	if restarting.Error == nil || restarting.Error.Kind != "exit" || restarting.PID != 0 {
		t.Errorf("while it is restarted the server is shown as %+v", restarting)
	}
	after := awaitServer(e, "everything", "ready again", func(s editorapi.Server) bool {
		return s.State == "ready" && s.PID != before.PID
	})
	if after.Restarts != before.Restarts+1 || after.Error != nil {
		t.Errorf("after the restart the server is shown as %+v", after)
	}
	if got := call(e, "everything", "echo", map[string]any{"message": "again"}); !strings.Contains(got.text(), "again") {
		t.Errorf("a call after the restart: %+v", got)
	}
}

// Fault daemon-killed.
func TestKilledDaemonLeavesNoServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{
		"filesystem": npmServer(t, "server-filesystem"),
		"everything": npmServer(t, "server-everything"),
	}.String())
	folder := w.folder("project")
	w.write(filepath.Join(folder, "a.txt"), "text")
	shim := w.spawn("attach")
	e := w.open(shim, in(mcpCapabilities, folder))
	pids := []int{awaitReady(e, "filesystem").PID, awaitReady(e, "everything").PID}
	daemon := w.daemonPID()

	w.kill(daemon)
	for _, pid := range pids {
		await(t, "the server has ended with its daemon", func() bool { return !alive(pid) })
	}
	e.AwaitEnd()
	await(t, "attach has ended", shim.ended)
	if said := shim.stderr.String(); shim.code != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "the daemon has ended") {
		t.Errorf("attach ended with code %d and says %q", shim.code, said)
	}

	next := w.attach(in(mcpCapabilities, folder))
	if pid := w.daemonPID(); pid == 0 || pid == daemon {
		t.Errorf("the next editor is served by process %d", pid)
	}
	awaitReady(next, "filesystem")
	await(t, "the server of the next daemon knows the folder", func() bool { return slices.Equal(allowed(next), []string{folder}) })
	if got := readFile(next, filepath.Join(folder, "a.txt")); got.text() != "text" {
		t.Errorf("a call through the next daemon: %+v", got)
	}
}
