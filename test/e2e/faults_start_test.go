//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Faults command-missing, start-crash, start-silence, version-mismatch, stdout-noise and hostile-variable: each
// server that does not start says why, and the one beside it is served. mcpclient has how often they are tried.
func TestServersThatDoNotStart(t *testing.T) {
	w := newWorld(t)
	folder := w.folder("project")
	text := filepath.Join(folder, "text")
	w.write(text, "no program")
	silent := with(w.fakeServer("silent", fakeserver.Script{Steps: steps("initialize", object{"do": "hang"})}), "startTimeout", "1s")
	refuses := object{"do": "refuse", "code": -32602, "message": "not with you"}
	tests := map[string]struct {
		definition map[string]any
		state      string
		kind       editorapi.ServerErrorKind
		says       []string
	}{
		"missing":        {object{"command": "no-such-command"}, "failed", "spawn", []string{"no-such-command", "not found in PATH ("}},
		"not executable": {object{"command": text}, "failed", "spawn", []string{text, "not executable"}},
		"unset":          {with(w.fakeServer("unset", fakeserver.Script{}), "args", []string{"${env:NO_SUCH_VARIABLE}"}), "failed", "", []string{"${env:NO_SUCH_VARIABLE}"}},
		"refuses":        {w.fakeServer("refuses", fakeserver.Script{Steps: steps("initialize", refuses)}), "failed", "protocol", []string{"not with you"}},
		"silent":         {silent, "failed", "startTimeout", []string{"startTimeout"}},
		"chatty":         {object{"command": "sh", "args": []string{"-c", "while :; do echo no server; done"}}, "failed", "notMCP", []string{"no server"}},
		"crashes": {w.fakeServer("crashes", fakeserver.Script{Steps: steps("start", object{"do": "stderr", "text": "boom\n"}, object{"do": "exit", "code": 3})}),
			"restarting", "exit", []string{"code 3"}},
	}
	all := servers{"good": w.fakeServer("good", fakeserver.Script{})}
	for name, tt := range tests {
		all[name] = tt.definition
	}
	w.config(all.String())
	e := w.attach(in(mcpCapabilities, folder), "good")
	served(e, "good")
	for name, tt := range tests {
		view := awaitState(e, name, tt.state)
		if view.Error == nil || tt.kind != "" && view.Error.Kind != tt.kind {
			e.Fatalf("%s is shown as %+v with the error %+v", name, view, view.Error)
		}
		wantAll(t, name, view.Error.Message, tt.says...)
		if name == "crashes" && strings.Join(view.Error.Stderr, "\n") != "boom" {
			t.Errorf("it has said %q", view.Error.Stderr)
		}
		if tt.state == "failed" {
			fails(e, "a call", e.Start("mcp/tools/call", toolCall(name, "x", object{})), "serverNotReady", -32803)
		}
	}
}

// Fault server-killed. The record has every message that any life of the server has got.
func TestPromise5ServerKilledDuringACall(t *testing.T) {
	w := newWorld(t)
	// The script is read anew at each start.
	script := filepath.Join(w.dir, "script")
	listing := func(tool string) {
		w.write(script, marshal(fakeserver.Script{
			Record: w.recordFile("fake"), Tools: []json.RawMessage{json.RawMessage(`{"name":"` + tool + `"}`)}}))
	}
	listing("before")
	w.config(servers{
		"fake": object{"command": fakeserverBinary, "env": object{fakeserver.Env: script}},
		"good": w.fakeServer("good", fakeserver.Script{}),
	}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	pid := awaitReady(e, "fake").PID
	awaitReady(e, "good")

	pending := e.Start("mcp/tools/call", toolCall("fake", "hang", object{}))
	await(t, "the server has the call", func() bool { return len(w.recorded("fake", "tools/call")) == 1 })
	listing("after")
	seen := len(e.Messages())
	w.kill(pid)
	fails(e, "the call under way", pending, "serverGone", -32803)
	served(e, "good")
	awaitServer(e, "fake", "ready again", func(s editorapi.Server) bool { return s.State == "ready" && s.PID != pid })
	e.Expect("the news of the tools", func(conversation []fakeeditor.Message) (met bool, never string) {
		return slices.ContainsFunc(conversation[seen:], func(m fakeeditor.Message) bool {
			return m.Method == "editord/catalogChanged" && strings.Contains(string(m.Params), `"tools"`)
		}), ""
	})
	names := strings.Join(toolNames(e, "fake"), " ")
	if !strings.Contains(names, "after") || strings.Contains(names, "before") {
		t.Errorf("after the restart the tools are %s", names)
	}
	served(e, "fake") // would come after a call that was sent again
	if n := len(w.recorded("fake", "tools/call")); n != 2 {
		t.Errorf("the servers have got %d calls, want the one that was lost and the one after it", n)
	}
}

// The command is looked up in the PATH of the editor; the daemon's does not
// have it.
func TestCommandOfTheEditorsPath(t *testing.T) {
	w := newWorld(t)
	tools := filepath.Join(w.dir, "tools")
	w.executable(filepath.Join(tools, "npx-like"), `exec "`+fakeserverBinary+`"`)
	definition := w.fakeServer("fake", fakeserver.Script{})
	definition["command"] = "npx-like"
	w.config(servers{"fake": definition}.String())
	w.serve()
	folder := w.folder("project")
	before := w.attach(in(mcpCapabilities, folder))
	if view := awaitState(before, "fake", "failed"); view.Error == nil || view.Error.Kind != "spawn" {
		t.Fatalf("without it in PATH the server is %+v", view)
	}
	before.Vanish()
	await(t, "the editor is gone", func() bool { return w.logged("an editor left") })

	w.vars = []string{"PATH=" + tools + ":/usr/bin:/bin", "ONLY_THE_EDITORS=yes"}
	e := w.attach(in(mcpCapabilities, folder))
	awaitNow(e, "fake", "ready")
	var got struct {
		Cwd string
		Env map[string]string
	}
	structured(e, "fake", "process", object{"env": []string{"PATH", "ONLY_THE_EDITORS"}}, &got)
	if filepath.Dir(got.Cwd) != w.state("servers") || got.Env["ONLY_THE_EDITORS"] != "yes" || !strings.HasPrefix(got.Env["PATH"], tools) {
		t.Errorf("the server runs in %s with %v", got.Cwd, got.Env)
	}
}
