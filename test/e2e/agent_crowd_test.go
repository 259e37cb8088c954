//go:build linux || darwin

package e2e

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// Fault start-race: agents and editors that all start at the same instant, without a daemon, are
// attached to one daemon, and nobody is refused. When it is killed, they all find the next one.
func TestCrowdOfAgentsAndEditors(t *testing.T) {
	const agents, editors, folders = 24, 8, 6
	w := newWorldWith(t, scripts{"everywhere": {}})
	folder := func(i int) string {
		w.folder(fmt.Sprint("project", i%folders, "/.git"))
		return w.folder(fmt.Sprint("project", i%folders))
	}
	var crowd []*lineAgent
	for i := range agents {
		crowd = append(crowd, startLines(w, folder(i)))
	}
	var attached []*process
	for i := range editors {
		attached = append(attached, w.spawnAs(func(cmd *exec.Cmd) { cmd.Dir = folder(i) }, "attach"))
	}
	var hellos []string
	for _, a := range crowd {
		hellos = append(hellos, a.start("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"crowd","version":"1"}}`))
	}
	for i, p := range attached {
		w.open(p, in(mcpCapabilities, folder(i)))
	}
	for i, a := range crowd {
		if hello := a.answer(hellos[i]); hello.Error != nil {
			t.Fatalf("an agent is refused: %+v", hello.Error)
		}
		a.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	// call has the agents call at the same time, and returns those whose call was lost with its daemon.
	call := func(agents []*lineAgent) (lost []*lineAgent) {
		t.Helper()
		var ids []string
		for _, a := range agents {
			ids = append(ids, a.start("tools/call", `{"name":"everywhere__echo","arguments":{}}`))
		}
		for i, a := range agents {
			switch got := a.answer(ids[i]); {
			case strings.Contains(string(got.Result), "ended during the call"):
				lost = append(lost, a)
			case got.Error != nil || strings.Contains(string(got.Result), `"isError":true`):
				t.Errorf("a call fails: %s %+v", got.Result, got.Error)
			}
		}
		return lost
	}
	if lost := call(crowd); len(lost) > 0 {
		t.Errorf("%d calls are lost, though the daemon runs", len(lost))
	}
	w.kill(w.daemonPID())
	await(t, "the daemon is gone", func() bool { return w.daemonPID() == 0 })
	// Who has not noticed yet sends one call to a daemon that is gone, and no second one.
	if lost := call(call(crowd)); len(lost) > 0 {
		t.Errorf("%d agents do not find the next daemon", len(lost))
	}
}
