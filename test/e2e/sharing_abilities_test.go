//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os/exec"
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

// A question that the caller cannot answer goes to who works in the same folder, who learns whose call it was.
func TestQuestionIsAnsweredByAnotherEditorOfTheFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	project, beside := w.folder("project"), w.folder("beside")
	answering := func(o fakeeditor.Options, text string) fakeeditor.Options {
		o.Answers = map[string]fakeeditor.Answer{"mcp/elicitation/create": func(json.RawMessage) (any, error) {
			return object{"action": "accept", "content": object{"from": text}}, nil
		}}
		return o
	}
	// This one has a folder more, and so a process of its own. It is the one that can answer.
	wide := w.attach(answering(in(formCapabilities, beside, project), "wide"))
	awaitReady(wide, "fake")
	stranger := w.attach(answering(in(formCapabilities, w.folder("elsewhere")), "stranger"))
	awaitReady(stranger, "fake")
	caller := w.attach(in(mcpCapabilities, project))
	awaitReady(caller, "fake")
	helper := w.attach(answering(in(formCapabilities, project), "helper")) // the server is told of elicitation
	awaitServer(caller, "fake", "restarting", func(s editorapi.Server) bool { return s.State == "restarting" })

	ask := func() (from string) {
		t.Helper()
		var result object
		structured(caller, "fake", "ask_elicitation", object{"params": object{"message": "m", "requestedSchema": object{"type": "object", "properties": object{}}}}, &result)
		return marshal(result)
	}
	if got := ask(); !strings.Contains(got, `"from":"helper"`) {
		t.Errorf("the server got %s", got)
	}
	asked := helper.AwaitMethod("mcp/elicitation/create")
	if got := string(rawjson.Get(asked.Params, "caller")); got != `{"name":"fakeeditor","tool":"ask_elicitation"}` {
		t.Errorf("it was told that the caller is %s", got)
	}
	if cause := rawjson.Get(asked.Params, "cause"); cause != nil {
		t.Errorf("it was told of a request that is not its own: %s", cause)
	}

	helper.Vanish()
	await(t, "the daemon has noticed", func() bool { return len(status(caller).Editors) == 3 })
	if got := ask(); !strings.Contains(got, `"from":"wide"`) {
		t.Errorf("after that the server got %s", got)
	}
	wide.Vanish()
	await(t, "the daemon has noticed", func() bool { return len(status(caller).Editors) == 2 })
	if got := ask(); !strings.Contains(got, `"cancel"`) {
		t.Errorf("with nobody left in the folder the server got %s", got)
	}
}

// having returns the way of a mcp-editord that has these variables and no others.
func having(vars ...string) func(cmd *exec.Cmd) {
	return func(cmd *exec.Cmd) { cmd.Env = vars }
}

// Fault mixed-environments.
func TestWhatAServerTakesFromTheEnvironmentIsNotMixed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	takes := w.fakeServer("fake", fakeserver.Script{})
	takes["env"].(map[string]string)["TOK"] = "${env:TOKEN}"
	w.config(servers{"fake": takes, "plain": w.fakeServer("plain", fakeserver.Script{})}.String())
	folder := w.folder("project")
	attach := func(vars ...string) *fakeeditor.Editor {
		return w.open(w.spawnAs(having(append(w.env(), vars...)...), "attach"), in(mcpCapabilities, folder))
	}
	one, two, same := attach("TOKEN=one"), attach("TOKEN=two"), attach("TOKEN=one", "OTHER=1")
	for _, e := range []*fakeeditor.Editor{one, two, same} {
		awaitReady(e, "fake")
		awaitReady(e, "plain")
	}
	onePID, oneVars := processOf(one, "fake", "TOK")
	twoPID, twoVars := processOf(two, "fake", "TOK")
	samePID, _ := processOf(same, "fake")
	if onePID == twoPID || oneVars["TOK"] != "one" || twoVars["TOK"] != "two" || samePID != onePID {
		t.Errorf("the processes are %d with %v, %d with %v, and %d", onePID, oneVars, twoPID, twoVars, samePID)
	}
	a, _ := processOf(one, "plain")
	if b, _ := processOf(two, "plain"); a != b {
		t.Errorf("a server that takes nothing is process %d and %d", a, b)
	}
	for _, file := range []string{"daemon.log", "audit.jsonl"} {
		if text := tail(w.state(file)); strings.Contains(text, "TOKEN") {
			t.Errorf("%s says %s", file, text)
		}
	}
}

// An agent that passes on little does not keep servers from finding their programs.
func TestStarvedEnvironmentDoesNotReplaceTheEditors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	folder := w.folder("project")
	o := in(mcpCapabilities, folder)
	o.InitializationOptions = json.RawMessage(`{"agent":{"name":"Codex"},"environment":{"PATH":"/nowhere","E2E":` + strconv.Quote(w.dir) + `},"autoStart":false}`)
	w.attach(o)
	editor := w.attach(in(mcpCapabilities, folder))
	want := func(what, path, starved string) {
		t.Helper()
		_, vars := processOf(editor, "fake", "PATH", "E2E")
		if !strings.Contains(vars["PATH"], path) || vars["E2E"] != starved {
			t.Errorf("%s the server has %v", what, vars)
		}
	}
	path := strings.TrimPrefix(w.env()[0], "PATH=")
	awaitReady(editor, "fake")
	want("started by the editor,", path, "")
	request(editor, "editord/restartServer", object{"server": "fake"}, nil)
	want("restarted with the agent there,", path, "")
	_, _ = editor.Request("mcp/tools/call", toolCall("fake", "exit", object{"code": 1})) // which it does not answer
	await(t, "it has started again", func() bool { return server(editor, "fake").Restarts == 2 && server(editor, "fake").State == "ready" })
	want("started again by itself,", path, "")
}

// An input that a start needs is asked for in an editor that can ask, whoever has caused the start.
func TestInputIsAskedOfAnotherEditorOfTheFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	takes := w.fakeServer("fake", fakeserver.Script{})
	takes["env"].(map[string]string)["TOK"] = "${input:token}"
	w.config(marshal(object{
		"inputs":  []object{{"id": "token", "type": "promptString", "description": "The token"}},
		"servers": servers{"fake": takes},
	}))
	o := in(formCapabilities, w.folder("project"))
	o.InitializationOptions = json.RawMessage(`{"autoStart":false}`)
	o.Answers = map[string]fakeeditor.Answer{"mcp/elicitation/create": func(json.RawMessage) (any, error) {
		return object{"action": "accept", "content": object{"value": "typed"}}, nil
	}}
	helper := w.attach(o)
	caller := w.attach(in(mcpCapabilities, w.folder("project")))
	awaitReady(caller, "fake")
	if _, vars := processOf(caller, "fake", "TOK"); vars["TOK"] != "typed" {
		t.Errorf("the server has %v", vars)
	}
	asked := helper.AwaitMethod("mcp/elicitation/create")
	if got := string(rawjson.Get(asked.Params, "caller")); got != `{"name":"fakeeditor"}` {
		t.Errorf("it was told that the caller is %s", got)
	}
}

// A password is asked for in an editor, though the agent whose call starts the server answers questions too.
func TestNoAgentIsAskedForAPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	takes := w.fakeServer("fake", fakeserver.Script{})
	takes["env"].(map[string]string)["TOK"] = "${input:token}"
	w.config(marshal(object{
		"inputs":  []object{{"id": "token", "type": "promptString", "description": "The token", "password": true}},
		"servers": servers{"fake": takes},
	}))
	typed := map[string]fakeeditor.Answer{"mcp/elicitation/create": func(json.RawMessage) (any, error) {
		return object{"action": "accept", "content": object{"value": "typed"}}, nil
	}}
	o := in(formCapabilities, w.folder("project"))
	o.InitializationOptions, o.Answers = json.RawMessage(`{"autoStart":false}`), typed
	w.attach(o)
	o = in(formCapabilities, w.folder("project"))
	o.InitializationOptions = json.RawMessage(`{"agent":{"name":"Claude Code"}}`)
	o.Answers = map[string]fakeeditor.Answer{"mcp/elicitation/create": func(json.RawMessage) (any, error) {
		t.Error("the agent is asked")
		return object{"action": "cancel"}, nil
	}}
	agent := w.attach(o)
	awaitReady(agent, "fake")
	if _, vars := processOf(agent, "fake", "TOK"); vars["TOK"] != "typed" {
		t.Errorf("the server has %v", vars)
	}
}
