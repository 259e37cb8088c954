//go:build linux || darwin

package e2e

import (
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

const (
	samplingCapabilities = `{"experimental":{"mcp":{"sampling":{}}}}`
	formCapabilities     = `{"experimental":{"mcp":{"elicitation":{"form":{}}}}}`
)

// processOf returns the process that serves e, and some variables of its environment.
func processOf(e *fakeeditor.Editor, name string, env ...string) (pid int, vars map[string]string) {
	var got struct {
		PID int
		Env map[string]string
	}
	structured(e, name, "process", object{"env": env}, &got)
	return got.PID, got.Env
}

// told returns what each life of a fake server was told that its client can do, without the roots.
func (w *world) told(name string) (declared []string) {
	for _, m := range w.recorded(name, "initialize") {
		caps := rawjson.Get(m.Params, "capabilities")
		declared = append(declared, string(rawjson.Delete(caps, "roots")))
	}
	return declared
}

func wantTold(t *testing.T, w *world, name string, want ...string) {
	t.Helper()
	if got := w.told(name); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the lives of server %s were told %s, want %s", name, got, want)
	}
}

// A terminal and two editors with different abilities share one process, which knows of all that they can answer.
// Who comes later with more has it initialized anew, as long as nobody who is there has used it.
func TestEditorsWithDifferentAbilitiesShareTheirServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	folder := w.folder("project")
	first := w.attach(in(samplingCapabilities, folder))
	before := awaitReady(first, "fake")
	second := w.attach(in(formCapabilities, folder))
	awaitServer(first, "fake", "initialized anew", func(s editorapi.Server) bool { return s.State == "ready" && s.PID != before.PID })
	const both = `{"sampling":{},"elicitation":{"form":{}}}`
	wantTold(t, w, "fake", `{"sampling":{}}`, both)

	pid, _ := processOf(first, "fake")
	other, _ := processOf(second, "fake")
	out, stderr, code := w.run("call", "--folder", folder, "fake", "process")
	if code != 0 {
		t.Fatalf("call: %s", stderr)
	}
	if other != pid || !strings.Contains(out, strconv.Itoa(pid)) {
		t.Errorf("one editor has process %d, the other %d, the terminal %s", pid, other, out)
	}

	// Now that it is used, nobody loses what it holds for them.
	more := w.attach(in(`{"experimental":{"mcp":{"elicitation":{"url":{}}}}}`, folder))
	if got, _ := processOf(more, "fake"); got != pid {
		t.Errorf("the one who came last has process %d, the others %d", got, pid)
	}
	wantTold(t, w, "fake", `{"sampling":{}}`, both)
	request(first, "editord/restartServer", object{"server": "fake"}, nil)
	wantTold(t, w, "fake", `{"sampling":{}}`, both, `{"sampling":{},"elicitation":{"form":{},"url":{}}}`)
	if s := status(first); len(s.Servers) != 1 || s.Counters["initializedAnew"] != 1 {
		t.Errorf("there are %d servers, and %d were initialized anew", len(s.Servers), s.Counters["initializedAnew"])
	}
}
