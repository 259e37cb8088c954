package approvaltext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// A person sees which agent calls which tool, and every argument.
func TestCallText(t *testing.T) {
	for _, test := range []struct{ name, agent, tool, arguments, others, definition string }{
		{"short", "Claude Code", "delete_x", `{"path":"/tmp/a"}`, `{}`, `{"name":"delete_x","annotations":{"destructiveHint":true}}`},
		{"nothing", "Codex", "list", "", `{}`, `{"name":"list","annotations":{"readOnlyHint":true,"destructiveHint":true}}`},
		{"nested", "Codex", "write", `{"edits":[{"line":1,"text":"a\nb\n"},{}],"mode":"x","n":1.50,"none":[]}`, `{"_meta":{"a":"b"}}`, ""},
		{"what wants to look like something else", "A\" call \"safe", "x\u202e\nTool: y", `{"a":"\u001b[8m\nArgument: b","b\nTool":"` + strings.Repeat(" ", 100) + `evil"}`, `{}`, `{"name":"x"}`},
		{"long", "Codex", strings.Repeat("t", 60), `{"content":"` + strings.Repeat(`line\n`, 30) + `end"}`, `{}`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := editorapi.ApproveParams{Kind: editorapi.ApproveCall, Server: "fs", Call: &editorapi.AgentCall{Agent: test.agent, Tool: test.tool, Arguments: json.RawMessage(test.arguments)}}
			var tool json.RawMessage
			if test.definition != "" {
				tool = json.RawMessage(test.definition)
			}
			text := OfCall(p, json.RawMessage(test.others), tool)
			golden(t, "call/"+test.name, text)
			checkCallText(t, text)
		})
	}
}

// checkCallText checks what is promised of every text about a call.
func checkCallText(t *testing.T, text editorapi.ApprovalText) {
	t.Helper()
	checkLines(t, text)
	checkLabels(t, text.Whole, "Tool", "Agent", "The server says", "Argument", "Arguments", "Also sends")
	if text.Complete && text.Short != text.Whole {
		t.Errorf("short is complete, but is not the whole:\n%s", text.Short)
	}
}

// Whatever an agent sends, the lines are ours and everything is there.
func FuzzCallText(f *testing.F) {
	f.Add("a", "t", "name", "value")
	f.Add("\n", "\u202e", "", "\n\n\x1b")
	f.Fuzz(func(t *testing.T, agent, tool, name, value string) {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			t.Skip("no JSON has it")
		}
		arguments, _ := json.Marshal(map[string]any{name: []any{value, map[string]any{value: name}}})
		text := OfCall(editorapi.ApproveParams{Server: name, Call: &editorapi.AgentCall{Agent: agent, Tool: tool, Arguments: arguments}}, nil, nil)
		checkCallText(t, text)
		for part := range strings.SplitSeq(value, "\n") {
			inner := strings.TrimSuffix(strings.TrimPrefix(quoted(part), `"`), `"`)
			if !strings.Contains(joined(text.Whole), strings.ReplaceAll(inner, " ", "")) {
				t.Errorf("%q is not in\n%s", part, text.Whole)
			}
		}
	})
}

// joined undoes the breaks of lines, and drops all spaces.
func joined(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\n", ""), " ", "") }
