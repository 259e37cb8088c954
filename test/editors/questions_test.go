//go:build linux || darwin

package editors

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A server asks for something while a call runs. The question is a document with a line for each field, which opens where the
// editor lets a server open one, and is filled in and sent there; elsewhere a message says where it is.
func TestQuestion(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		destructive := json.RawMessage(`{"name": "ask_elicitation", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true}}`)
		w := newWorld(t, fakeserver.Script{Plain: true, OnlyTools: true, Tools: []json.RawMessage{destructive}})
		asked := json.RawMessage(`{"params": {"message": "Which branch?", "requestedSchema": {"type": "object",
			"properties": {"branch": {"type": "string", "description": "Where to."}, "force": {"type": "boolean"}}, "required": ["branch"]}}}`)
		w.write("a.mcp", "call: fake.ask_elicitation\nwith: "+string(rawjson.Compact(asked))+"\n")
		w.run("tools", "fake")
		e.start(w, "a.mcp")
		x := e.screenOf()
		e.line(1)
		const run = "MCP: Run fake.ask_elicitation"
		if _, shown := e.(*emacs); shown {
			x.insist("asks you something", func() { e.act(run); e.confirm(run) }) // lsp-mode may close the box itself
		} else {
			e.act(run)
			e.confirm(run)
		}
		attached := func() {} // waits for code actions in the question
		var back func()       // to the call
		sent := `"fake" has your answer`
		switch e := e.(type) {
		case *helix:
			x.see("asks you something")
			e.act("MCP: Answer fake.ask_elicitation")
			if !e.opens { // it opens no document; the path is in the message, and stays at the call
				x.see("waits for your answer in")
				e.types(":open " + question(t, w))
				e.keys("Enter")
			}
			back = func() { e.types(":bc"); e.keys("Enter") } // which it refuses while something is not saved
		case *emacs:
			x.see("asks you something")
			e.act("MCP: Answer fake.ask_elicitation")
			if e.lspMode {
				sent = "Applying 1 edits" // over the message
				back = func() { e.keys("C-x", "b"); e.see("Switch to buffer"); e.keys("Enter") }
				break
			}
			// The question is not in the project, so eglot starts another client for it, when it is first used.
			attached = func() { x.see("[eglot:questions") }
		case *neovim:
			x.see("asks you something")
			e.act("MCP: Answer fake.ask_elicitation")
			back = func() { e.keys("C-^") }
		case *ale:
			x.see("asks you something")
			return
		case *vimLsp:
			x.see("asks you something")
			return
		default:
			t.Skip("Vim draws over the message")
		}
		x.see("branch:", "# Which branch?")
		e.line(9)
		e.append(" trunk")
		e.leave()
		x.see("branch: trunk")
		attached()
		x.insist("save the docu", func() { e.act("MCP: Send") }) // Helix shows one message, and the progress of the call comes then
		e.save()
		e.act("MCP: Send")
		if h, ok := e.(*helix); ok { // the end of the progress takes its message away; the document still says it
			h.line(6)
		}
		if back != nil { // eglot shows both
			x.see(sent)
			back()
		}
		x.see("call: fake.ask_elicitation", "result:", "action: accept", "branch: trunk")
	})
}

// question returns the path of the one question that is open.
func question(t *testing.T, w *world) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(w.dir, "*/mcp-editord/questions/question-*.mcp"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("the questions are %q, %v", paths, err)
	}
	return paths[0]
}
