package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// The daemon keeps nothing of the memory that large results needed once nobody calls any more.
func TestMemoryAfterLargeResults(t *testing.T) {
	t.Parallel()
	const results, size = 3, 16 << 20
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{Plain: true})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(e, "fake")
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
