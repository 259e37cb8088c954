//go:build linux || darwin

package editors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// withNotes starts an editor on a file that is no call document, with a tool that takes a text, and selects a line of it.
// record is the file of what the server gets.
func withNotes(t *testing.T, e editor) (x *terminal, record string) {
	t.Helper()
	record = filepath.Join(t.TempDir(), "record")
	w := newWorld(t, fakeserver.Script{Plain: true, Record: record, OnlyTools: true, Tools: []json.RawMessage{
		json.RawMessage(`{"name":"find_issues","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object",
			"properties":{"query":{"type":"string"}},"required":["query"]}}`),
	}})
	w.write("notes.txt", "one\nthe link drops\nthree\n")
	w.run("tools", "fake")
	e.start(w, "notes.txt")
	e.selectLine(2)
	return e.screenOf(), record
}

// A tool that only reads is called with what is selected, by one code action, and its result is shown.
func TestSelectionIsArgument(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		x, record := withNotes(t, e)
		e.act("MCP: fake: find_issues")
		var text []byte
		if !await(func() bool {
			text, _ = os.ReadFile(record)
			return strings.Contains(string(text), `"query":"the link drops`)
		}) {
			t.Errorf("the server was not sent the line that was selected:\n%s", text)
		}
		if _, ok := e.(*yegappan); !ok { // Vim draws over the message
			x.see("params:")
		}
	})
}

// Any tool can be called from any file: a call document opens that says where it was made, or a
// message says where that document is.
func TestCallFromFile(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		x, _ := withNotes(t, e)
		e.act("MCP: Call…")
		switch e := e.(type) {
		case *helix:
			if !e.opens { // it opens no document
				x.see("Open this file to go on")
				return
			}
		case *ale, *vimLsp:
			x.see("Open this file to go on")
			return
		case *yegappan:
			t.Skip("Vim draws over the message")
		}
		x.see("call:", "context:", "notes.txt", "lines: 2")
	})
}
