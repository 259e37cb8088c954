package e2e

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// Whatever ends the session of an editor, attach ends with the code that says whether the editor wanted
// it, and the daemon serves the others.
func TestAttachEnds(t *testing.T) {
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
		{name: "the editor reads no more", end: func(_ *world, shim *process) {
			shim.stdout.Close()
			const ask = `{"jsonrpc":"2.0","id":"last","method":"editord/status"}`
			fmt.Fprintf(shim, "Content-Length: %d\r\n\r\n%s", len(ask), ask)
		}},
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
			w := newWorldWith(t, scripts{"fake": {}})
			folder := w.folder("project")
			stays := w.attach(in(mcpCapabilities, folder))
			shim := w.spawn("attach")
			w.open(shim, in(mcpCapabilities, folder), "fake")
			test.end(w, shim)
			await(t, "attach has ended", shim.ended)
			if said := shim.stderr.String(); shim.code != test.code || !strings.Contains(said, test.says) || test.says == "" && said != "" {
				t.Errorf("attach ended with code %d and says %q", shim.code, said)
			}
			await(t, "the daemon has one editor", func() bool { return len(status(stays).Editors) == 1 })
			served(stays, "fake")
		})
	}
}

// An attach that waits needs little memory. The race detector needs more.
func TestAttachIsSmall(t *testing.T) {
	if len(raceFlags()) > 0 {
		t.Skip("the program has the race detector")
	}
	const most = 6 << 10 // KiB
	w := newWorld(t)
	w.config(servers{}.String())
	shim := w.spawn("attach")
	w.open(shim, in(mcpCapabilities, w.folder("project")))
	await(t, "attach is small", func() bool { return memory(t, shim.pid, "VmRSS") <= most })
}

// The daemon keeps nothing of the memory that large results needed once nobody calls any more.
func TestMemoryAfterLargeResults(t *testing.T) {
	const results, size = 3, 16 << 20
	w := newWorldWith(t, scripts{"fake": {Plain: true}})
	e := w.attach(in(mcpCapabilities, w.folder("project")), "fake")
	for range results {
		if _, err := e.Request("mcp/tools/call", toolCall("fake", "big", object{"bytes": size})); err != nil {
			t.Fatal("a large result:", err)
		}
	}
	// The race detector's own memory stays, so this does not look at what is left.
	daemon := w.daemonPID()
	await(t, "it gives back at least as much as one of them had", func() bool {
		return memory(t, daemon, "VmHWM")-memory(t, daemon, "VmRSS") >= size>>10
	})
}

// memory returns a field of /proc/PID/status, in kB (proc_pid_status(5)).
func memory(t *testing.T, pid int, field string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	var n int
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, field+": %d kB", &n); err == nil {
			return n
		}
	}
	t.Fatalf("process %d has no %s", pid, field)
	return 0
}
