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

// Fault command-missing.
func TestCommandThatCannotBeRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	w.write(filepath.Join(folder, "text"), "no program")
	w.config(servers{
		"missing":       object{"command": "no-such-command"},
		"notExecutable": object{"command": filepath.Join(folder, "text")},
		"good":          w.fakeServer("good", fakeserver.Script{}),
	}.String())
	e := w.attach(in(mcpCapabilities, folder))
	for name, texts := range map[string][]string{
		"missing":       {"no-such-command", "PATH="},
		"notExecutable": {filepath.Join(folder, "text"), "not executable"},
	} {
		view := awaitState(e, name, "failed")
		if view.Error == nil || view.Error.Kind != "spawn" {
			e.Fatalf("%s is shown as %+v", name, view)
		}
		for _, text := range texts {
			if !strings.Contains(view.Error.Message, text) {
				t.Errorf("%s says %q, without %q", name, view.Error.Message, text)
			}
		}
		_, err := e.Request("mcp/tools/call", toolCall(name, "x", object{}))
		wantError(e, "a call", err, "serverNotReady", -32803)
	}
	awaitReady(e, "good")
	served(e, "good")
	for _, name := range []string{"missing", "notExecutable"} {
		if n := seenStates(e, name, "failed"); n != 1 || server(e, name).State != "failed" || seenStates(e, name, "restarting") != 0 {
			t.Errorf("%s has failed %d times and is %s", name, n, server(e, name).State)
		}
	}
}

// Fault start-crash. It takes the back-off of five starts: 1, 2, 4 and 8 s, each less up to a half.
func TestServerThatEndsBeforeItsHandshake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boom := w.fakeServer("boom", fakeserver.Script{Steps: steps("start",
		object{"do": "stderr", "text": "boom\n"}, object{"do": "exit", "code": 3})})
	w.config(servers{"boom": boom, "good": w.fakeServer("good", fakeserver.Script{})}.String())
	folder := w.folder("project")
	e := w.attach(in(mcpCapabilities, folder))
	plain := w.attach(in(messageBoxes, folder))

	check := func(view editorapi.Server) {
		t.Helper()
		if view.Error == nil || view.Error.Kind != "exit" || !strings.Contains(view.Error.Message, "code 3") ||
			strings.Join(view.Error.Stderr, "\n") != "boom" {
			e.Fatalf("it is shown as %+v with the error %+v", view, view.Error)
		}
	}
	check(awaitState(e, "boom", "restarting"))
	awaitReady(e, "good")
	served(e, "good")
	failed := awaitState(e, "boom", "failed")
	check(failed)
	if !strings.Contains(failed.Error.Message, "5 times") {
		t.Errorf("it says %q", failed.Error.Message)
	}
	if n := seenStates(e, "boom", "restarting"); n != 4 {
		t.Errorf("it was shown restarting %d times, want 4", n)
	}
	plain.AwaitMethod("window/showMessage")
	served(plain, "good") // what was sent before its answer has come
	notices := 0
	for _, m := range plain.Messages() {
		if m.Method == "window/showMessage" && strings.Contains(string(m.Params), "boom") {
			notices++
		}
	}
	if notices != 1 {
		t.Errorf("an editor that knows no MCP was given %d notices, want 1", notices)
	}
}

// Fault command-missing: one attempt for each editor that comes, also for one whose servers have a
// head start.
func TestServerThatFailsIsNotTriedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"refuses": w.fakeServer("refuses", fakeserver.Script{
		Steps: steps("initialize", object{"do": "refuse", "code": -32602, "message": "not with you"})})}.String())
	folder := w.folder("project")
	for n, capabilities := range []string{mcpCapabilities, messageBoxes} {
		e := w.attach(in(capabilities, folder))
		view := awaitNow(e, "refuses", "failed")
		if view.Error == nil || view.Error.Kind != "protocol" || !strings.Contains(view.Error.Message, "not with you") {
			t.Errorf("the error is %+v", view.Error)
		}
		if got := len(w.recorded("refuses", "initialize")); got != n+1 {
			t.Errorf("after %d editors the server was started %d times", n+1, got)
		}
	}
}

// Fault server-killed. The record has every message that any life of the server has got.
func TestServerKilledDuringACall(t *testing.T) {
	t.Parallel()
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
	_, err := pending.Wait()
	wantError(e, "the call under way", err, "serverGone", -32803)
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

// Fault start-silence.
func TestServerThatDoesNotShakeHands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	silent := w.fakeServer("silent", fakeserver.Script{Steps: steps("initialize", object{"do": "hang"})})
	silent["startTimeout"] = "1s"
	w.config(servers{"silent": silent, "good": w.fakeServer("good", fakeserver.Script{})}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	pid := awaitServer(e, "silent", "starting with a process", func(s editorapi.Server) bool { return s.State == "starting" && s.PID != 0 }).PID
	awaitReady(e, "good")
	served(e, "good")
	view := awaitState(e, "silent", "failed")
	if view.Error == nil || view.Error.Kind != "startTimeout" || !strings.Contains(view.Error.Message, "startTimeout") {
		t.Errorf("it is shown as %+v with the error %+v", view, view.Error)
	}
	await(t, "its process is gone", func() bool { return !alive(pid) })
}

// Fault hostile-variable. There is no shell: what looks like one's words stays text.
func TestVariables(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	good := w.fakeServer("good", fakeserver.Script{})
	good["args"] = []string{"${workspaceFolder}", "$(id)", "`id`", "${env:NEWLINE}", "${env:${env:NEWLINE}}", "*"}
	unset := w.fakeServer("unset", fakeserver.Script{})
	unset["args"] = []string{"${env:NO_SUCH_VARIABLE}"}
	w.config(servers{"good": good, "unset": unset}.String())
	w.vars = []string{"NEWLINE=a\nb ${userHome}"}
	e := w.attach(in(mcpCapabilities, folder))

	view := awaitState(e, "unset", "failed")
	if view.Error == nil || !strings.Contains(view.Error.Message, "${env:NO_SUCH_VARIABLE}") {
		t.Errorf("the error is %+v", view.Error)
	}
	awaitReady(e, "good")
	var got struct{ Args []string }
	structured(e, "good", "process", object{}, &got)
	want := []string{folder, "$(id)", "`id`", "a\nb ${userHome}", "${env:${env:NEWLINE}}", "*"}
	if strings.Join(got.Args[1:], "|") != strings.Join(want, "|") {
		t.Errorf("the arguments are %q, want %q", got.Args[1:], want)
	}
}

// The command is looked up in the PATH of the editor; the daemon's does not
// have it.
func TestCommandOfTheEditorsPath(t *testing.T) {
	t.Parallel()
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
