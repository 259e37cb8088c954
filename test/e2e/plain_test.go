//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// shownTo returns the messages that were shown so far.
func shownTo(e *fakeeditor.Editor) (list []string) {
	for _, m := range e.Messages() {
		if m.Method == "window/showMessage" {
			list = append(list, rawjson.String(m.Params, "message"))
		}
	}
	return list
}

// seenBy returns what a plain client was shown so far: the messages, and the documents that still exist.
func seenBy(e *fakeeditor.Editor) string {
	seen := shownTo(e)
	for _, m := range e.Messages() {
		if m.Method != "window/showDocument" {
			continue
		}
		if path, err := fileuri.ToPath(rawjson.String(m.Params, "uri")); err == nil {
			text, _ := os.ReadFile(path) // it may be gone
			seen = append(seen, string(text))
		}
	}
	return strings.Join(seen, "\n")
}

// A plain client waits for no call. It is asked what a server asks, and is shown the result.
func TestPlainClientCallsAndIsAsked(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {}})
	o := in(plainOpens, w.folder("project"))
	asked := make(chan struct{})
	o.Answers = map[string]fakeeditor.Answer{
		"window/showMessageRequest": func(json.RawMessage) (any, error) {
			<-asked
			return object{"title": "Yes"}, nil
		},
		"window/showDocument": func(json.RawMessage) (any, error) { return object{"success": true}, nil },
	}
	e := w.attach(o)
	execute := func(tool string, arguments any) {
		t.Helper()
		if result, err := e.Request("workspace/executeCommand", object{"command": "mcp.tool.fake." + tool, "arguments": []any{arguments}}); err != nil || string(result) != "null" {
			t.Fatalf("%s is answered with %s, %v", tool, result, err)
		}
	}

	// A choice, in a box. The command has its answer before the user has given one.
	execute("ask_elicitation", object{"params": object{"message": "Sure?", "requestedSchema": object{"type": "object", "properties": object{"ok": object{"type": "boolean"}}}}})
	e.AwaitMethod("window/showMessageRequest")
	close(asked)
	e.Await("the result", func(fakeeditor.Message) bool { return strings.Contains(seenBy(e), "accept") })

	// A form, as a document. The server ends, and so does the question.
	execute("ask_elicitation", object{"params": json.RawMessage(rawjson.Get([]byte(askWord), "params"))})
	e.Await("the question", func(fakeeditor.Message) bool {
		return strings.Contains(seenBy(e), "# Which word?\n") && strings.Contains(seenBy(e), "answer: question-")
	})
	request(e, "editord/stopServer", object{"server": "fake"}, nil)
	e.Await("the question is withdrawn", func(fakeeditor.Message) bool {
		return slices.ContainsFunc(shownTo(e), func(s string) bool { return strings.Contains(s, "no longer waits for your answer in question-") })
	})

	// An error, and nothing that a client does not know.
	if _, err := e.Request("workspace/executeCommand", object{"command": "mcp.tool.fake.echo"}); err == nil {
		t.Error("a tool of a server that has stopped was called")
	}
	e.Await("the error", func(fakeeditor.Message) bool {
		return slices.ContainsFunc(shownTo(e), func(s string) bool { return strings.HasPrefix(s, `server "fake" is not ready (stopped)`) })
	})
	for _, m := range e.Messages() {
		if !m.Sent && (strings.HasPrefix(m.Method, "editord/") || strings.HasPrefix(m.Method, "mcp/")) {
			t.Errorf("it was sent %s", m)
		}
	}
}
