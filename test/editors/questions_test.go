//go:build linux || darwin

package editors

import (
	"encoding/json"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A server asks for something while a call runs. The question is a document with a line for each field, which opens where the
// editor lets a server open one, and is filled in and sent there; elsewhere a message says where it is.
func TestQuestion(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		w := newWorld(t, fakeserver.Script{Plain: true})
		asked := json.RawMessage(`{"params": {"message": "Which branch?", "requestedSchema": {"type": "object",
			"properties": {"branch": {"type": "string", "description": "Where to."}, "force": {"type": "boolean"}}, "required": ["branch"]}}}`)
		w.write("a.mcp", "call: fake.ask_elicitation\nwith: "+string(compact(t, asked))+"\n")
		w.run("tools", "fake")
		e.start(w, "a.mcp")
		x := e.screenOf()
		e.line(1)
		e.act("MCP: Run fake.ask_elicitation, may change things")
		attached := func() {} // waits for code actions in the question
		var back func()       // to the call
		sent := `"fake" has your answer`
		switch e := e.(type) {
		case *helix:
			if !e.asks { // it opens no document
				x.see("asks you something")
				return
			}
			back = func() { e.types("ga") } // the file before this one
		case *emacs:
			if e.lspMode {
				sent = "Applying 1 edits" // over the message
				back = func() { e.keys("C-x", "b"); e.see("Switch to buffer"); e.keys("Enter") }
				break
			}
			// The question is not in the project, so eglot starts another client for it, when it is first used.
			attached = func() { x.see("[eglot:questions") }
		case *neovim:
			back = func() { e.keys("C-^") }
		case *ale:
			x.see("asks you something")
			return
		case *vimLsp:
			x.see(`The MCP server "fake" ask`)
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
		e.act("MCP: Send")
		if back != nil { // eglot shows both
			x.see(sent)
			back()
		}
		x.see("call: fake.ask_elicitation", "result:", "action: accept", "branch: trunk")
	})
}

func compact(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
