//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// diagnostic is LSP's, as far as tests read it.
type diagnostic struct {
	Range struct {
		Start struct{ Line, Character int }
	}
	Severity int
	Message  string
}

// awaitDiagnostics waits until the last that the editor was told of a file is
// what holds wants, and returns it.
func awaitDiagnostics(e *fakeeditor.Editor, path, what string, holds func([]diagnostic) bool) (last []diagnostic) {
	seen, told := 0, false
	e.Expect("diagnostics of "+path+": "+what, func(conversation []fakeeditor.Message) (met bool, never string) {
		for ; seen < len(conversation); seen++ {
			var p struct {
				URI         string
				Diagnostics []diagnostic
			}
			m := conversation[seen]
			if m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == fileuri.FromPath(path) {
				last, told = p.Diagnostics, true
			}
		}
		return told && holds(last), ""
	})
	return last
}

// says returns whether there is a diagnostic whose message has text in it.
func says(text string) func([]diagnostic) bool {
	return func(list []diagnostic) bool {
		return slices.ContainsFunc(list, func(d diagnostic) bool { return strings.Contains(d.Message, text) })
	}
}

// configured returns the names of the servers that e has.
func configured(e *fakeeditor.Editor) (names []string) {
	var result struct{ Servers []struct{ Name string } }
	request(e, "editord/servers", object{}, &result)
	for _, s := range result.Servers {
		names = append(names, s.Name)
	}
	return names
}

// Only what has changed is touched.
func TestReloadTouchesOnlyWhatChanged(t *testing.T) {
	w := newWorld(t)
	s := servers{}
	for _, name := range []string{"same", "changed", "removed"} {
		s[name] = w.fakeServer(name, fakeserver.Script{})
	}
	w.config(s.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	pids := map[string]int{}
	for name := range s {
		pids[name] = awaitReady(e, name).PID
	}
	hanging := e.Start("mcp/tools/call", toolCall("same", "hang", object{}))
	await(t, "the server has the call", func() bool { return len(w.recorded("same", "tools/call")) == 1 })

	delete(s, "removed")
	s["changed"].(map[string]any)["args"] = []string{"another"}
	s["added"] = w.fakeServer("added", fakeserver.Script{})
	w.config("// a comment, and other white space\n" + s.String())
	awaitReady(e, "added")
	await(t, "the changed one runs anew", func() bool { v := server(e, "changed"); return v.State == "ready" && v.PID != pids["changed"] })
	var got struct{ Args []string }
	structured(e, "changed", "process", object{}, &got)
	if !slices.Equal(got.Args[1:], []string{"another"}) {
		t.Errorf("the changed one has the arguments %v", got.Args[1:])
	}
	await(t, "what was replaced is gone", func() bool { return !alive(pids["changed"]) && !alive(pids["removed"]) })
	if pid := server(e, "same").PID; pid != pids["same"] || hanging.Answered() {
		t.Errorf("the one that is as before was process %d and is %d", pids["same"], pid)
	}
	fails(e, "a call of what is no longer there", e.Start("mcp/tools/call", toolCall("removed", "echo", object{})), "serverNotFound", -32602)
	hanging.Cancel()
}

// Fault config-broken.
func TestPromise6BrokenConfigurationChangesNothing(t *testing.T) {
	w := newWorld(t)
	definition := w.fakeServer("fake", fakeserver.Script{})
	good := servers{"fake": definition}.String()
	w.config(good)
	e := w.attach(in(mcpCapabilities, w.folder("project")))
	pid, starts := awaitReady(e, "fake").PID, seenStates(e, "fake", "starting")
	utf16 := "\xff\xfe"
	for _, c := range []byte(good) {
		utf16 += string([]byte{c, 0})
	}
	tests := []struct {
		name, text, says string
		line             int // from 0; -1 for the whole file
		severity         int
	}{
		{"half written", "{\n  \"servers\": {\n    \"fake\": {\"comm", "not valid JSON", 2, 1},
		{"empty", "", "empty", 0, 2},
		{"UTF-16", utf16, "UTF-16", -1, 1},
		{"no UTF-8", "{\n\"servers\": \"\xff\"}", "this is not UTF-8", 1, 1},
		{"huge", strings.Repeat(" ", 50<<20), "larger than", -1, 1},
		{"no object", "\n\n[]", "not a JSON object", 2, 1},
	}
	for _, tt := range tests { // one after another: they share the file
		w.config(tt.text)
		list := awaitDiagnostics(e, w.configFile(), tt.name, says(tt.says))
		if len(list) != 1 || list[0].Severity != tt.severity || list[0].Range.Start.Line != max(tt.line, 0) {
			t.Errorf("%s: the diagnostics are %+v, want one of severity %d in line %d", tt.name, list, tt.severity, tt.line)
		}
		await(t, "the server says what is wrong with its file", func() bool {
			problems := server(e, "fake").Problems
			return len(problems) == 1 && strings.Contains(problems[0], w.configFile()) && strings.Contains(problems[0], tt.says)
		})
		served(e, "fake")
	}
	w.config(good)
	awaitDiagnostics(e, w.configFile(), "none", func(list []diagnostic) bool { return len(list) == 0 })
	await(t, "the server has no problem any more", func() bool { return server(e, "fake").Problems == nil })
	served(e, "fake")
	if now := server(e, "fake").PID; now != pid || seenStates(e, "fake", "starting") != starts {
		t.Errorf("the server was process %d and is %d", pid, now)
	}
}

// argument returns the one argument that the server fake has, "" while it does
// not run.
func argument(t *testing.T, e *fakeeditor.Editor) string {
	raw, err := e.Request("mcp/tools/call", toolCall("fake", "process", object{}))
	if err != nil {
		return "" // it is being replaced
	}
	var result struct{ StructuredContent struct{ Args []string } }
	unmarshal(t, raw, &result)
	return result.StructuredContent.Args[1]
}
