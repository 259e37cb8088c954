//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcp-editord/mcp-editord/test/testkit/deaddisk"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// fakeServerIn is a fake server with a working directory of its own.
func (w *world) fakeServerIn(name, dir string) map[string]any {
	definition := w.fakeServer(name, fakeserver.Script{})
	definition["cwd"] = dir
	return definition
}

// Fault disk-hangs: a folder on a mount whose other side has gone holds up the editor that has it open, for a moment, and
// nobody else. That editor gets the user's own servers, and can go; the daemon ends.
func TestPromise4FolderOnADeadMount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	home := filepath.Join(w.dir, "home")
	dead, live := w.folder("dead"), w.folder("live")
	w.config(servers{"own": w.fakeServerIn("own", home)}.String())
	first := w.attach(in(mcpCapabilities, live))
	awaitReady(first, "own")
	deaddisk.Mount(t, dead)

	hung := make(chan *fakeeditor.Editor, 1)
	go func() { hung <- w.connect(in(mcpCapabilities, dead)) }()
	await(t, "the editor of the dead mount has attached", func() bool { return len(status(first).Editors) == 2 })
	second := w.connect(in(mcpCapabilities, live))
	awaitReady(second, "own")
	if got := call(second, "own", "echo", object{"text": "hello"}).text(); !strings.Contains(got, "hello") {
		t.Errorf("a call of another editor: %q", got)
	}
	w.workspaceFile(live, servers{"project": w.fakeServerIn("project", home)})
	awaitState(second, "project", "needsApproval")
	w.config(servers{"own": w.fakeServerIn("own", home), "more": w.fakeServerIn("more", home)}.String())
	awaitReady(second, "more")

	third := <-hung
	awaitReady(third, "own")
	if got := call(third, "own", "echo", object{"text": "hello"}).text(); !strings.Contains(got, "hello") {
		t.Errorf("a call of the editor of the dead mount: %q", got)
	}
	w.config(servers{"own": w.fakeServerIn("own", home)}.String())
	for _, e := range []*fakeeditor.Editor{first, third} {
		e.Await("editord/serverRemoved", func(m fakeeditor.Message) bool {
			return m.Method == "editord/serverRemoved" && strings.Contains(string(m.Params), `"more"`)
		})
	}
	third.Vanish()
	await(t, "the editor of the dead mount has gone", func() bool { return len(status(first).Editors) == 2 })
	pid := w.daemonPID()
	if out, errOut, code := w.run("stop"); code != 0 {
		t.Errorf("stopping: code %d, %s%s", code, out, errOut)
	}
	await(t, "the daemon has ended", func() bool { return !alive(pid) })
}

// Fault disk-hangs: who owns a folder can put a pipe in the place of a file, and keep a file from being opened: nobody waits for
// either, and a person is told.
func TestPromise4FilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"own": w.fakeServer("own", fakeserver.Script{})}.String())
	folder := w.folder("hostile")
	pipe, leased := filepath.Join(folder, ".mcp.json"), filepath.Join(folder, ".vscode", "mcp.json")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	w.write(leased, servers{"leased": w.fakeServer("leased", fakeserver.Script{})}.String())
	f, err := os.OpenFile(leased, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip("no leases:", err)
	}
	e := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "own")
	awaitDiagnostics(e, pipe, "what is wrong with the pipe", says("not a regular file"))
	awaitDiagnostics(e, leased, "what is wrong with the leased file", says("another program"))

	f.Close()
	w.write(leased+".new", servers{"leased": w.fakeServer("leased", fakeserver.Script{})}.String())
	if err := os.Rename(leased+".new", leased); err != nil {
		t.Fatal(err)
	}
	awaitState(e, "leased", "needsApproval")
}
