//go:build linux || darwin

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An editor, a terminal, and agents of both eras in one project share each server, wherever in it they work.
func TestAgentSharesServersWithEditorAndTerminal(t *testing.T) {
	w := newWorldWith(t, scripts{"one": {}, "two": {ProtocolVersions: []string{modernVersion}}})
	folder := w.folder("project")
	below := w.folder("project/packages/inner")
	if err := os.Mkdir(filepath.Join(folder, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(folder, "packages", "inner", "package.json"), "{}")
	e := w.attach(in(allCapabilities, folder))
	agents := map[string]*lineAgent{
		"agent in the project":               openLines(w, fidelityVersion, agentAnswers, folder),
		"agent below it":                     openLines(w, fidelityVersion, agentCannot, below),
		"agent of 2026-07-28 below it":       openLines(w, modernVersion, agentAnswers, below),
		"agent from elsewhere that was told": openLines(w, fidelityVersion, agentCannot, w.folder("elsewhere"), "--folder", folder),
	}
	for _, server := range []string{"one", "two"} {
		awaitReady(e, server)
		pid := processOf(e, server)
		for name, a := range agents {
			if got := a.call(server+"__process", `{}`).StructuredContent.PID; got != pid {
				t.Errorf("%s is served by process %d, the editor by %d", name, got, pid)
			}
		}
		cmd := w.command(func(cmd *exec.Cmd) { cmd.Dir = folder }, "call", server, "process", "--json", "{}")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("calling from the terminal: %v\n%s", err, out)
		}
		var terminal lineResult
		if unmarshal(t, out, &terminal); terminal.StructuredContent.PID != pid {
			t.Errorf("the terminal is served by process %d, the editor by %d", terminal.StructuredContent.PID, pid)
		}
		if server == "one" && len(w.recorded(server, "initialize")) != 1 {
			t.Errorf("the server %s was started %d times", server, len(w.recorded(server, "initialize")))
		}
	}
}

// roots returns the URIs that the fake server gets when it asks for its roots in a call of this agent.
func (a *lineAgent) roots() (uris []string) {
	a.t.Helper()
	var result struct{ Roots []struct{ URI string } }
	unmarshal(a.t, a.call("fake__ask_roots", `{}`).StructuredContent.Answer.Result, &result)
	for _, r := range result.Roots {
		uris = append(uris, r.URI)
	}
	return uris
}

// An agent that works in any folder of an editor has all folders of that editor, unless it has chosen its own.
func TestAgentWorksWhereTheEditorDoes(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}})
	first, second := w.folder("first"), w.folder("second")
	within := w.folder("second/deep/down")
	e := w.attach(in(allCapabilities, first, second), "fake")
	pid := processOf(e, "fake")
	for _, version := range []string{fidelityVersion, modernVersion} {
		a := openLines(w, version, agentCannot, within)
		if got := a.call("fake__process", `{}`).StructuredContent.PID; got != pid {
			t.Errorf("at %s the agent is served by process %d, the editor by %d", version, got, pid)
		}
		if got := a.roots(); !slices.Equal(got, uris(first, second)) {
			t.Errorf("at %s the roots are %v", version, got)
		}
	}
	// Whoever chooses is taken at his word.
	told := openLines(w, fidelityVersion, agentCannot, within, "--folder", second)
	if got := told.roots(); !slices.Equal(got, uris(second)) {
		t.Errorf("with --folder the roots are %v", got)
	}
	choosing := startLines(w, within)
	choosing.hello(fidelityVersion, `{"roots":{"listChanged":true}}`)
	answered := 0
	answerRoots := func(folders ...string) {
		t.Helper()
		await(t, "the agent is asked for its roots", func() bool { return len(choosing.all("roots/list")) > answered })
		roots := []object{}
		for _, uri := range uris(folders...) {
			roots = append(roots, object{"uri": uri})
		}
		asked := choosing.all("roots/list")[answered]
		answered++
		choosing.write(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"roots":` + marshal(roots) + `}}`)
	}
	answerRoots(second)
	await(t, "the roots are those of the agent", func() bool { return slices.Equal(choosing.roots(), uris(second)) })
	choosing.write(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	answerRoots(first, second)
	await(t, "the roots are the new ones", func() bool { return slices.Equal(choosing.roots(), uris(first, second)) })
	if got := choosing.call("fake__process", `{}`).StructuredContent.PID; got != pid {
		t.Errorf("with the roots of the editor the agent is served by process %d, the editor by %d", got, pid)
	}
}

// An agent in a folder that is gone, such as a worktree, gets the servers of its user all the same.
func TestAgentInAFolderThatIsGone(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}})
	a := readLines(w, w.spawnAs(func(cmd *exec.Cmd) {
		cmd.Dir = w.folder("worktree")
		after(`rmdir "$PWD"`)(cmd)
	}, "mcp"))
	a.hello(fidelityVersion, agentCannot)
	if got := string(a.call("fake__echo", `{"n":17}`).StructuredContent.Params); !strings.Contains(got, `"n":17`) {
		t.Errorf("the server got %s", got)
	}
}
