package editorapi

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// Where a box or a document would take the keys of somebody, a question waits until he takes it up: at the call that led to
// it, or with mcp.questions.
func TestPromise11QuestionWaitsUntilItIsTakenUp(t *testing.T) {
	const uri = "file:///w/a.mcp"
	const at = `{"textDocument":{"uri":"` + uri + `"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"position":{"line":0,"character":0},"context":{"diagnostics":[]}}`
	ask := map[string]func(s *session, ctx context.Context, cause *Cause) error{
		"window/showMessageRequest": func(s *session, ctx context.Context, cause *Cause) error {
			q := form(``)
			q.Cause = cause
			_, err := s.Elicit(ctx, q)
			return err
		},
		"window/showDocument": func(s *session, ctx context.Context, cause *Cause) error {
			_, err := s.Sample(ctx, Question{Server: "s", Cause: cause, Params: json.RawMessage(`{"messages":[]}`)})
			return err
		},
	}
	for method, asks := range ask {
		for _, client := range []string{"Eglot", "emacs", "helix", "Neovim", "Vim", "fakeeditor"} {
			for take, command := range map[string]string{
				"at its call": `{"command":"mcp.answer","arguments":[{"textDocument":{"uri":"` + uri + `"}}]}`,
				"anywhere":    `{"command":"mcp.questions"}`,
			} {
				t.Run(method+" "+client+" "+take, func(t *testing.T) {
					asked := make(chan error, 1)
					var b *fakeBackend
					b = withTool(func(ctx context.Context, c Call) (json.RawMessage, error) {
						cause := &c.Cause
						if take == "anywhere" {
							cause = nil
						}
						asked <- asks(b.session(), ctx, cause)
						return json.RawMessage(`{"content":[]}`), nil
					})
					shown := make(chan struct{}, 2)
					answer := func(json.RawMessage) (any, error) {
						shown <- struct{}{}
						return map[string]any{"success": true, "title": "Decline"}, nil
					}
					e := open(t, b, fakeeditor.Options{Name: client, Capabilities: json.RawMessage(canShow), Answers: map[string]fakeeditor.Answer{
						"window/showMessageRequest": answer, "window/showDocument": answer,
					}})
					openDocument(e, uri, "call: s.t\n")
					runCall(t, e, uri)
					if client == "fakeeditor" { // an unknown client is asked at once
						<-shown
						return
					}
					message := said(e)
					if utf8.RuneCountInString(message) > 80 || !strings.HasPrefix(message, `"s" asks you something; take`) {
						t.Errorf("it says %q", message)
					}
					actions, err := e.Request("textDocument/codeAction", json.RawMessage(at))
					if want := map[string]string{"at its call": "MCP: Answer s.t", "anywhere": `MCP: Answer \"s\"`}[take]; err != nil || !strings.Contains(string(actions), want) {
						t.Errorf("the actions are %s, %v", actions, err)
					}
					if len(shown) > 0 {
						t.Fatal("it was asked")
					}
					execute(t, e, json.RawMessage(command))
					<-shown
				})
			}
		}
	}
}

// In an editor that always takes the first action of a box, nothing is asked in one.
func TestBoxThatIsUseless(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Name: "vim-lsp", Answers: map[string]fakeeditor.Answer{"window/showMessageRequest": func(json.RawMessage) (any, error) {
		t.Error("it was asked in a box")
		return nil, nil
	}}})
	s := b.session()
	wait := asking(t.Context(), s.Elicit, form(``))
	e.AwaitMethod("window/showMessage")
	execute(t, e, json.RawMessage(`{"command":"mcp.questions"}`))
	e.Await("where its document is", func(m fakeeditor.Message) bool { return strings.Contains(string(m.Params), "Answer in "+b.questionDir) })
	give(t, s, s.answers.list()[0].id, answerDecline, nil)
	wantAnswer(t, wait, `{"action":"decline"}`)
}

// A server that waits for approval opens nothing in such an editor: one line says where to decide.
func TestPromise11ApprovalOpensNothing(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Name: "Eglot", Answers: map[string]fakeeditor.Answer{"window/showMessageRequest": func(json.RawMessage) (any, error) {
		t.Error("it was asked in a box")
		return nil, nil
	}}})
	decision, err := b.theEditor().Approve(t.Context(), ApproveParams{Kind: ApproveServer, Server: "tickets", Definition: ApprovalDefinition{Source: "file:///w/.mcp.json"}})
	if err != nil || decision != DecisionLater {
		t.Errorf("the decision is %s, %v", decision, err)
	}
	if message := said(e); message != `"tickets" waits for your approval; take a code action in .mcp.json` {
		t.Errorf("it says %q", message)
	}
}

// An answer is sent of a saved document, in editors that would not end without saving it; what became of it stands there.
func TestSendOfASavedDocument(t *testing.T) {
	for client, refuses := range map[string]bool{"helix": true, "fakeeditor": false} {
		t.Run(client, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{Name: client})
			s := b.session()
			wait := asking(t.Context(), s.Elicit, form(`"a":{"type":"string"}`))
			e.AwaitMethod("window/showMessage")
			execute(t, e, json.RawMessage(`{"command":"mcp.questions"}`))
			e.Await("where its document is", func(m fakeeditor.Message) bool { return strings.Contains(string(m.Params), b.questionDir) })
			path := s.answers.list()[0].path
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			filled := strings.Replace(string(text), "  a:", "  a: typed", 1)
			openDocument(e, fileuri.FromPath(path), filled)
			send := func() *fakeeditor.RPCError {
				_, err := e.Request("workspace/executeCommand", json.RawMessage(`{"command":"mcp.answer","arguments":[{"textDocument":{"uri":"`+fileuri.FromPath(path)+`"},"action":"accept"}]}`))
				return err
			}
			if refuses {
				if err := send(); err == nil || !strings.Contains(err.Message, "save the document, then send it") {
					t.Errorf("the error is %v", err)
				}
				if err := os.WriteFile(path, []byte(filled), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := send(); err != nil {
				t.Fatal(err)
			}
			wantAnswer(t, wait, `{"action":"accept","content":{"a":"typed"}}`)
			awaitText(e, "textDocument/publishDiagnostics", `has your answer (accept); close this document`)
			actions, failed := e.Request("textDocument/codeLens", json.RawMessage(`{"textDocument":{"uri":"`+fileuri.FromPath(path)+`"}}`))
			if failed != nil || string(actions) != "[]" {
				t.Errorf("the lenses are %s, %v", actions, failed)
			}
		})
	}
}
