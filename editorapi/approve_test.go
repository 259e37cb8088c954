package editorapi

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// The box about what an agent may do says what the decision is about. What it says to do elsewhere can be
// done: there is no command that allows a call.
func TestApproveInABoxWhatAgentsDo(t *testing.T) {
	const command = "mcp-editord approvals allow s"
	for _, test := range []struct {
		name         string
		kind         ApprovalKind
		complete     bool
		capabilities string
		actions      []string
		says, not    string
	}{
		{"tools", ApproveTools, true, `{}`, []string{"Later", "Deny", "Allow"}, "no agent gets these tools as they are now", command},
		{"tools that do not fit", ApproveTools, false, `{}`, []string{"Later", "Deny"}, "you cannot allow it here", "this call"},
		{"tools with a document", ApproveTools, false, `{"window":{"showDocument":{"support":true}}}`, []string{"Later", "Look"}, "no agent gets these tools", command},
		{"a call", ApproveCall, true, `{}`, []string{"Later", "Deny", "Allow"}, "this call only; Later refuses it too", command},
		{"a call that does not fit", ApproveCall, false, `{}`, []string{"Later", "Deny"}, "you cannot allow it here", command},
		{"a call with a document", ApproveCall, false, `{"window":{"showDocument":{"support":true}}}`, []string{"Later", "Look"}, "this call only", command},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{
				Capabilities: json.RawMessage(test.capabilities),
				Answers:      map[string]fakeeditor.Answer{"window/showMessageRequest": chooses("Deny")},
			})
			params := ApproveParams{Kind: test.kind, Server: "s", Text: ApprovalText{Title: "May it?", Short: "short", Whole: "whole", Complete: test.complete}}
			want := DecisionDeny
			if test.actions[1] != "Deny" {
				want = DecisionLater
			}
			if got, err := b.theEditor().Approve(t.Context(), params); err != nil || got != want {
				t.Errorf("Approve returned %s, %v", got, err)
			}
			asked := e.AwaitMethod("window/showMessageRequest").Params
			actions := titles(rawjson.Get(asked, "actions"))
			message := rawjson.String(asked, "message")
			if !slices.Equal(actions, test.actions) || !strings.HasPrefix(message, "May it?\nwhole\n") || !strings.Contains(message, test.says) || strings.Contains(message, test.not) {
				t.Errorf("the box says %q and offers %q", message, actions)
			}
		})
	}
}

// Whatever a project writes into its file, a box has at most five lines of 76 columns without control
// characters, and Allow only if nothing is left out. A longer one crashes Helix 25.07, or hides its actions.
// Fault question-too-long.
func TestPromise1ApproveInABoxIsShort(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, test := range []struct {
		name, title, whole string
		all                bool
	}{
		{"four lines", "May it?", "a\nb\nc\nd", true},
		{"five lines", "May it?", "a\nb\nc\nd\ne", false},
		{"a long line", "May it?", strings.Repeat("x", 77) + "\nb\nc", true},
		{"long lines", "May it?", long + "\n" + long, false},
		{"wide characters", "May it?", strings.Repeat("世", 200), false},
		{"a long title", "May " + long + "?", "a", true},
		{"a title that is too long", "May " + long + long + "?", "a", false},
		{"control characters", "May\x1b[2J it?", "a\tb\u202e\r\nc\x00", true},
		{"many lines", "May it?", strings.Repeat("a\n", 10_000), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, kind := range []ApprovalKind{ApproveServer, ApproveCall} {
				b := newFakeBackend()
				var actions []string
				message := ""
				open(t, b, fakeeditor.Options{Answers: map[string]fakeeditor.Answer{"window/showMessageRequest": func(p json.RawMessage) (any, error) {
					actions, message = titles(rawjson.Get(p, "actions")), rawjson.String(p, "message")
					return nil, nil
				}}})
				params := ApproveParams{Kind: kind, Server: "s", Text: ApprovalText{Title: test.title, Short: "short", Whole: test.whole, Complete: true}}
				if got, err := b.theEditor().Approve(t.Context(), params); err != nil || got != DecisionLater {
					t.Errorf("Approve returned %s, %v", got, err)
				}
				lines := strings.Split(message, "\n")
				if len(lines) > 5 {
					t.Errorf("the box has %d lines:\n%s", len(lines), message)
				}
				for _, line := range lines {
					if safetext.Columns(line) > 76 || safetext.Line(line, 1000) != line {
						t.Errorf("the box has the line %q", line)
					}
				}
				if allows := slices.Contains(actions, "Allow"); kind == ApproveServer && allows != test.all {
					t.Errorf("the box offers %q and says\n%s", actions, message)
				}
			}
		})
	}
}

// Nobody waits for ever for an editor that never answers: the question is withdrawn, and a message says where
// to answer it. Of a call, another editor is asked.
// Fault question-unanswered.
func TestApproveEndsWithoutAnAnswer(t *testing.T) {
	for kind, told := range map[ApprovalKind]bool{ApproveServer: true, ApproveTools: true, ApproveCall: false} {
		t.Run(string(kind), func(t *testing.T) {
			b := newFakeBackend()
			b.o.QuestionTimeout = time.Nanosecond
			release := make(chan struct{})
			defer close(release)
			e := open(t, b, fakeeditor.Options{Answers: map[string]fakeeditor.Answer{"window/showMessageRequest": func(json.RawMessage) (any, error) {
				<-release
				return map[string]string{"title": "Allow"}, nil
			}}})
			params := ApproveParams{Kind: kind, Server: "s", Definition: ApprovalDefinition{Source: "file:///w/.mcp.json"}, Text: ApprovalText{Title: "May it?", Whole: "whole", Complete: true}}
			got, err := b.theEditor().Approve(t.Context(), params)
			if got != DecisionLater || (err == nil) != told {
				t.Errorf("Approve returned %s, %v", got, err)
			}
			if !told && !cannotAsk(err) {
				t.Errorf("the error is %v", err)
			}
			if told {
				text := said(e)
				if !strings.Contains(text, "mcp-editord approvals allow s") || kind == ApproveServer && !strings.Contains(text, "open /w/.mcp.json") ||
					kind == ApproveTools && !strings.Contains(text, "agents do not get them") {
					t.Errorf("the message is %q", text)
				}
			}
		})
	}
}

// The terminal is told of a command that it can run, and of no action in a file.
func TestApproveInTheTerminal(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(`{"experimental":{"mcp":{}}}`)})
	params := ApproveParams{Kind: ApproveServer, Server: "s", Definition: ApprovalDefinition{Source: "file:///w/.mcp.json"}, Text: ApprovalText{Title: "May it?", Complete: true}}
	if got, err := b.theEditor().Approve(t.Context(), params); got != DecisionLater || err != nil {
		t.Errorf("Approve returned %s, %v", got, err)
	}
	text := said(e)
	if want := `The MCP server "s" waits for your approval; run in its folder: mcp-editord approvals allow s`; text != want {
		t.Errorf("the message is %q", text)
	}
}

// The box and both plugins say the same of a decision about what an agent may do: what Later means does not depend on
// the editor.
func TestEveryEditorSaysTheSameOfADecision(t *testing.T) {
	for _, file := range []string{"../extensions/vscode/src/questions/kinds.ts", "../extensions/neovim/lua/mcp-editord/questions/kinds.lua"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []ApprovalKind{ApproveTools, ApproveCall} {
			if says := meaningOf(kind); !strings.Contains(string(source), "'"+says+"'") {
				t.Errorf("%s does not say %q of kind %s", file, says, kind)
			}
		}
	}
}
