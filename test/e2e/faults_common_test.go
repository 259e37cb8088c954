//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// object is JSON written by hand.
type object = map[string]any

// messageBoxes is an editor that knows nothing of MCP: a plain LSP client.
const messageBoxes = `{}`

// serve starts a daemon in the foreground and returns when it takes editors.
func (w *world) serve(args ...string) *process {
	w.t.Helper()
	p := w.spawn(append([]string{"serve"}, args...)...)
	await(w.t, "the daemon takes editors", func() bool {
		if p.ended() {
			w.t.Fatalf("mcp-editord serve has ended with code %d: %s", p.code, p.stderr.String())
		}
		return w.daemonPID() == p.pid
	})
	return p
}

// steps is a script's steps of one moment.
func steps(moment string, list ...object) map[string][]json.RawMessage {
	var raw []json.RawMessage
	for _, step := range list {
		raw = append(raw, json.RawMessage(marshal(step)))
	}
	return map[string][]json.RawMessage{moment: raw}
}

// launched returns the definition of a fake server that a shell script starts.
// The script has the program of the server as $0.
func (w *world) launched(name, script string, s fakeserver.Script) map[string]any {
	definition := w.fakeServer(name, s)
	definition["command"], definition["args"] = "sh", []string{"-c", script, fakeserverBinary}
	return definition
}

// awaitState returns the first view of the server in which it was in a state.
func awaitState(e *fakeeditor.Editor, name, state string) editorapi.Server {
	return awaitServer(e, name, state, func(s editorapi.Server) bool { return string(s.State) == state })
}

// awaitNow waits until the server is in a state, whatever it was before, and returns its view. It asks:
// plain clients are not told.
func awaitNow(e *fakeeditor.Editor, name, state string) (view editorapi.Server) {
	if !holdsSoon(func() bool { view = server(e, name); return string(view.State) == state }) {
		e.Fatalf("server %s is %s after %v, want %s", name, view.State, patience, state)
	}
	return view
}

// seenStates counts the views of a server in a state that the editor was shown.
func seenStates(e *fakeeditor.Editor, name, state string) (n int) {
	for _, m := range e.Messages() {
		if s, ok := shown(m, name); ok && string(s.State) == state {
			n++
		}
	}
	return n
}

// served fails the test unless the server answers e.
func served(e *fakeeditor.Editor, name string) {
	if got := call(e, name, "echo", object{"still": "here"}).text(); !strings.Contains(got, `"still":"here"`) {
		e.Fatalf("server %s answers %s", name, got)
	}
}

// structured calls a tool of a fake server and reads the structuredContent of
// its answer.
func structured(e *fakeeditor.Editor, server, tool string, arguments, into any) {
	var result struct{ StructuredContent json.RawMessage }
	request(e, "mcp/tools/call", toolCall(server, tool, arguments), &result)
	if err := json.Unmarshal(result.StructuredContent, into); err != nil {
		e.Fatalf("%s of %s: reading %s: %v", tool, server, result.StructuredContent, err)
	}
}

// serverLines returns the daemon's log of a server.
func serverLines(e *fakeeditor.Editor, name string) string {
	var result struct{ Lines []string }
	request(e, "editord/serverLog", object{"server": name, "lines": 1000}, &result)
	return strings.Join(result.Lines, "\n")
}

// stop stops a server.
func stop(e *fakeeditor.Editor, name string) {
	var view editorapi.Server
	if request(e, "editord/stopServer", object{"server": name}, &view); view.State != "stopped" {
		e.Fatalf("the server was stopped and is %+v", view)
	}
}

// wantError fails the test unless err is the daemon's error of a kind.
func wantError(e *fakeeditor.Editor, what string, err *fakeeditor.RPCError, kind string, code int64) {
	if err == nil || err.Kind() != kind || err.Code != code {
		e.Fatalf("%s: the error is %v, want %s (%d)", what, err, kind, code)
	}
}

// fails waits for the answer to a request, which must be the daemon's error of a kind.
func fails(e *fakeeditor.Editor, what string, p *fakeeditor.Pending, kind string, code int64) *fakeeditor.RPCError {
	_, err := p.Wait()
	wantError(e, what, err, kind, code)
	return err
}

// readPID returns the process id that a script has written into a file.
func readPID(t testing.TB, path string) (pid int) {
	t.Helper()
	await(t, path+" is written", func() bool {
		b, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(b), "\n") {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil
	})
	return pid
}

// logged tells whether the daemon's log has a line with all these texts.
func (w *world) logged(texts ...string) bool {
	b, err := os.ReadFile(w.state("daemon.log"))
	if err != nil {
		w.t.Fatal(err)
	}
line:
	for line := range strings.Lines(string(b)) {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue line
			}
		}
		return true
	}
	return false
}

// executable writes a program that runs a shell script.
func (w *world) executable(path, script string) {
	w.t.Helper()
	w.write(path, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// workspaceFile writes a folder's .mcp.json.
func (w *world) workspaceFile(folder string, s servers) {
	w.t.Helper()
	w.replace(filepath.Join(folder, ".mcp.json"), s.String())
}
