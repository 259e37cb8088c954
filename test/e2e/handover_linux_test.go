package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// nameOf returns what /proc calls the pipe that f is an end of.
func nameOf(t *testing.T, f *os.File) (name string) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { name, failed = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)) }); err != nil {
		t.Fatal(err)
	}
	if failed != nil {
		t.Fatal(failed)
	}
	return name
}

// has tells whether a process has a pipe open.
func has(t *testing.T, pid int, name string) bool {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Fatalf("the descriptors of process %d: %v, %v", pid, links, err)
	}
	return slices.ContainsFunc(links, func(link string) bool {
		other, _ := os.Readlink(link) // it may just have been closed
		return other == name
	})
}

// attach hands the editor's pipes over to the daemon. No server gets them, and nothing of them stays
// when the session has ended, whatever ended it.
func TestHandOver(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(w *world, shim *process)
		code int
		says string // by attach, on standard error; "" means nothing
	}{
		{name: "the editor closes stdin", end: func(_ *world, shim *process) { shim.stdin.Close() }},
		{name: "the editor exits", end: func(_ *world, shim *process) {
			const exit = `{"jsonrpc":"2.0","method":"exit"}`
			fmt.Fprintf(shim, "Content-Length: %d\r\n\r\n%s", len(exit), exit)
		}},
		{name: "the editor is gone", end: func(_ *world, shim *process) { shim.Close() }},
		{name: "attach is ended", end: func(_ *world, shim *process) { _ = syscall.Kill(shim.pid, syscall.SIGTERM) }, code: -1},
		{name: "attach is killed", end: func(w *world, shim *process) { w.kill(shim.pid) }, code: -1},
		{
			name: "the editor sends what is no frame",
			end:  func(_ *world, shim *process) { shim.Write([]byte("Content-Length: -5\r\n\r\n{}")) },
			code: 1, says: "the daemon closed the connection to this editor",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
			folder := w.folder("project")
			stays := w.attach(in(mcpCapabilities, folder))
			shim := w.spawn("attach")
			goes := w.open(shim, in(mcpCapabilities, folder))
			awaitReady(goes, "fake")
			var started editorapi.Server // while the daemon has the pipes
			request(goes, "editord/restartServer", object{"server": "fake"}, &started)
			server, daemon := started.PID, w.daemonPID()
			stdin, stdout := nameOf(t, shim.stdin), nameOf(t, shim.stdout)
			for _, name := range []string{stdin, stdout} {
				if !has(t, daemon, name) {
					t.Error("the daemon does not have the editor's pipes")
				}
				if has(t, server, name) {
					t.Error("a server has the editor's pipes")
				}
			}
			test.end(w, shim)
			await(t, "attach has ended", shim.ended)
			if said := shim.stderr.String(); shim.code != test.code || !strings.Contains(said, test.says) || test.says == "" && said != "" {
				t.Errorf("attach ended with code %d and says %q", shim.code, said)
			}
			await(t, "the daemon has one editor", func() bool { return len(status(stays).Editors) == 1 })
			await(t, "the daemon has let go", func() bool { return !has(t, daemon, stdin) && !has(t, daemon, stdout) })
			served(stays, "fake")
		})
	}
}

// An attach that waits needs little memory. The race detector needs more.
func TestAttachIsSmall(t *testing.T) {
	t.Parallel()
	if len(raceFlags()) > 0 {
		t.Skip("the program has the race detector")
	}
	const most = 6 << 10 // KiB
	w := newWorld(t)
	w.config(servers{}.String())
	shim := w.spawn("attach")
	w.open(shim, in(mcpCapabilities, w.folder("project")))
	await(t, "attach is small", func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", shim.pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		var size int
		if _, err := fmt.Sscan(rest, &size); err != nil {
			t.Fatal(err)
		}
		return size <= most
	})
}
