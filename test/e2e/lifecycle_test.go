//go:build linux || darwin

package e2e

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault crossed-commands: what was asked last holds. Pairs of start, stop and restart, sent one right after the other, of a
// server with a call under way and of one that ignores the end of its input and SIGTERM.
func TestWhatWasAskedLastHolds(t *testing.T) {
	t.Parallel()
	steps := []string{"start", "stop", "restart"}
	w := newWorld(t)
	all := servers{}
	for _, first := range steps {
		for _, second := range steps {
			pair := first + "-" + second
			all[pair+"-busy"] = w.fakeServer(pair+"-busy", fakeserver.Script{})
			if second != "stop" || first != "stop" { // which is stopped at once
				all[pair+"-stubborn"] = w.stubborn(pair + "-stubborn")
			}
		}
	}
	w.config(all.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	type asked struct {
		pid   int
		last  string
		again bool // a restart was asked for, or a start after a stop
		reply [2]*fakeeditor.Pending
	}
	pairs := map[string]*asked{}
	for _, first := range steps {
		for _, second := range steps {
			for _, kind := range []string{"-busy", "-stubborn"} {
				name := first + "-" + second + kind
				if all[name] == nil {
					continue
				}
				a := &asked{pid: awaitReady(e, name).PID, last: second, again: first != "start" || second == "restart"}
				if kind == "-busy" {
					e.Start("mcp/tools/call", toolCall(name, "hang", object{}))
				}
				a.reply = [2]*fakeeditor.Pending{
					e.Start("editord/"+first+"Server", object{"server": name}),
					e.Start("editord/"+second+"Server", object{"server": name}),
				}
				pairs[name] = a
			}
		}
	}
	for name, a := range pairs {
		for _, p := range a.reply {
			_, _ = p.Wait() // a start that a stop has cancelled fails
		}
		raw, err := e.Request("editord/servers", object{})
		if err != nil {
			e.Fatalf("editord/servers: %v", err)
		}
		var list struct{ Servers []editorapi.Server }
		unmarshal(t, raw, &list)
		for _, v := range list.Servers {
			switch {
			case v.Name != name:
			case a.last == "stop" && v.State != "stopped":
				t.Errorf("%s: it is %s", name, v.State)
			case a.last != "stop" && v.State != "ready":
				t.Errorf("%s: it is %s", name, v.State)
			case a.last != "stop" && a.again == (v.PID == a.pid):
				t.Errorf("%s: its process was %d and is %d", name, a.pid, v.PID)
			}
		}
		if a.last == "stop" && alive(a.pid) {
			t.Errorf("%s: process %d lives on", name, a.pid)
		}
	}
}
