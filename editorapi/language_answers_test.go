package editorapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// The user fills in the document of a question and sends it. What does not fit the schema is not sent, and
// neither is an answer in another document. Fault forged-answer.
func TestAnswerIsSent(t *testing.T) {
	for action, want := range map[string]string{
		"accept":  `{"action":"accept","content":{"name":"1.10","many":3}}`,
		"decline": `{"action":"decline"}`,
	} {
		t.Run(action, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: shows})
			q := form(`"name":{"type":"string"},"many":{"type":"integer"}`)
			q.Params = rawjson.SetPath(q.Params, []byte(`["name"]`), "requestedSchema", "required")
			wait := asking(t.Context(), b.theEditor().Elicit, q)
			uri, text := shownFile(t, e)
			send := func(uri, text string) *fakeeditor.RPCError {
				at := map[string]string{"uri": uri}
				openDocument(e, uri, text)
				_, failed := e.Request("workspace/executeCommand", map[string]any{"command": "mcp.answer", "arguments": []any{map[string]any{"textDocument": at, "action": action}}})
				e.Notify("textDocument/didClose", map[string]any{"textDocument": at})
				return failed
			}
			filled := strings.NewReplacer("name:", "name: 1.10", "many:", "many: 3").Replace(text)
			if err := send("file:///w/other.mcp", filled); err == nil {
				t.Error("an answer in another document was sent")
			}
			if action == "accept" {
				for _, wrong := range []string{text, strings.Replace(filled, "many: 3", "many: x", 1)} {
					if send(uri, wrong) == nil {
						t.Fatalf("sent was\n%s", wrong)
					}
				}
			}
			if err := send(uri, filled); err != nil {
				t.Fatalf("%v for\n%s", err, filled)
			}
			wantAnswer(t, wait, want)
			if send(uri, filled) == nil {
				t.Error("it was sent twice")
			}
			if !slices.Contains(told(e), `3 The MCP server "s" has your answer.`) {
				t.Errorf("told was %q", told(e))
			}
		})
	}
}
