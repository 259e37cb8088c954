package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// ask attaches an editor with that one answer and returns a function that asks it.
func askable(t *testing.T, answer fakeeditor.Answer) (*fakeeditor.Editor, Editor) {
	t.Helper()
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor, Answers: map[string]fakeeditor.Answer{"mcp/sampling/createMessage": answer}})
	return e, b.theEditor()
}

func TestQuestion(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer fakeeditor.Answer
		want   string
		code   int64
	}{
		{"verbatim", always(json.RawMessage(`{"n":9007199254740993,"s":"\u00e9"}`)), `{"n":9007199254740993,"s":"\u00e9"}`, 0},
		{"null", always(nil), `null`, 0},
		{"over 64 KiB", always(strings.Repeat("x", 100<<10)), `"` + strings.Repeat("x", 100<<10) + `"`, 0},
		{"error", func(json.RawMessage) (any, error) {
			return nil, &fakeeditor.RPCError{Code: -1, Message: "no", Data: json.RawMessage(`{"a":1}`)}
		}, "", -1},
		{"error that is not valid", func(json.RawMessage) (any, error) { return nil, &fakeeditor.RPCError{Code: 1 << 40, Message: "no"} }, "", -32603},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, editor := askable(t, test.answer)
			for range 2 { // the connection has survived
				result, err := editor.Sample(t.Context(), Question{Server: "s", Params: json.RawMessage(`{"x":1}`)})
				var rpc *RPCError
				if test.code != 0 {
					if !errors.As(err, &rpc) || rpc.Code != test.code {
						t.Fatalf("the error is %v, want code %d", err, test.code)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				wantJSON(t, result, test.want)
			}
		})
	}
}

// Fault two-answers: a question that is withdrawn is cancelled at the editor; its
// late answer harms nobody. One that was withdrawn before it was sent is not sent.
func TestQuestionIsWithdrawn(t *testing.T) {
	release := make(chan struct{})
	e, editor := askable(t, func(json.RawMessage) (any, error) {
		<-release
		return "late", nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	wait := asking(ctx, editor.Sample, Question{})
	question := e.AwaitMethod("mcp/sampling/createMessage")
	cancel()
	if _, err := wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("Sample returned %v", err)
	}
	if _, err := editor.Sample(ctx, Question{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Sample returned %v", err)
	}
	withdrawn := e.AwaitMethod("$/cancelRequest")
	wantJSON(t, withdrawn.Params, `{"id":`+string(question.ID)+`}`)
	close(release)
	e.Call("editord/servers", nil, nil)
	if n := count(e, "mcp/sampling/createMessage"); n != 1 {
		t.Errorf("%d questions were sent", n)
	}
}

// Promise 4: a server whose questions are large does not end the connection of the editor that it asks.
func TestPromise4LargeQuestionsWaitForRoom(t *testing.T) {
	_, editor := askable(t, always("read"))
	large := rawjson.Quote(strings.Repeat("x", maxQueuedBytes*2/5))
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			if answer, err := editor.Sample(t.Context(), Question{Params: large}); err != nil || string(answer) != `"read"` {
				t.Errorf("the answer is %.20s, %v", answer, err)
			}
		})
	}
	asking.Wait()
}

// Fault editor-killed: an editor that goes away while it is asked. One that leaves in order may come back: it shuts its session
// down, or it says that it has stopped asking, though nobody took the question back.
func TestQuestionEndsWithTheEditor(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(e *fakeeditor.Editor, release func(error))
		left bool
	}{
		{"killed", func(e *fakeeditor.Editor, _ func(error)) { e.Vanish() }, false},
		{"shut down", func(e *fakeeditor.Editor, _ func(error)) {
			e.Start("shutdown", nil)
			e.Notify("exit", nil)
		}, true},
		{"it stops asking", func(_ *fakeeditor.Editor, release func(error)) {
			release(&fakeeditor.RPCError{Code: CodeRequestCancelled, Message: "leaving"})
		}, true},
	} {
		for name, question := range map[string]func(Editor) error{
			"sampling":    func(e Editor) error { _, err := e.Sample(context.Background(), Question{}); return err },
			"elicitation": func(e Editor) error { _, err := e.Elicit(context.Background(), Question{}); return err },
			"approval":    func(e Editor) error { _, err := e.Approve(context.Background(), ApproveParams{}); return err },
		} {
			t.Run(test.name+" "+name, func(t *testing.T) {
				asked, answer := make(chan struct{}), make(chan error, 1)
				ask := func(json.RawMessage) (any, error) {
					close(asked)
					return nil, <-answer
				}
				b := newFakeBackend()
				e := open(t, b, fakeeditor.Options{
					Capabilities: json.RawMessage(`{"experimental":{"mcp":{"sampling":{},"elicitation":{},"approval":{}}}}`),
					Answers:      map[string]fakeeditor.Answer{"mcp/sampling/createMessage": ask, "mcp/elicitation/create": ask, "editord/approve": ask},
				})
				defer close(answer)
				done := make(chan error, 1)
				go func() { done <- question(b.theEditor()) }()
				<-asked
				test.end(e, func(err error) { answer <- err })
				if err := <-done; !errors.Is(err, ErrEditorGone) || errors.Is(err, ErrEditorLeft) != test.left {
					t.Errorf("it ends with %v", err)
				}
			})
		}
	}
}

// Fault editor-stops-reading: an editor that stops reading is disconnected; the backend never waits for it.
func TestEditorStopsReading(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{})
	s := b.serving
	e.Stall()
	editor := b.theEditor()
	sent := 0
	for ; sent < 10*maxQueuedMessages && editor.(*session).peer.ctx.Err() == nil; sent++ {
		editor.ShowMessage(SeverityInfo, "x")
	}
	if sent <= maxQueuedMessages || sent > 2*maxQueuedMessages { // those of one write have left the queue
		t.Errorf("%d notifications were taken", sent)
	}
	<-s.done
	if !errors.Is(s.err, errPeerStalled) {
		t.Errorf("Serve returned %v", s.err)
	}
	<-b.closed
}

// Fault editor-killed: the calls of an editor end when it goes, which is no mistake, and the log says nothing of one.
func TestEditorGoesDuringItsCalls(t *testing.T) {
	b := newFakeBackend()
	begun := make(chan struct{})
	b.begin = func(Call) { close(begun) }
	b.call = func(ctx context.Context, _ Call) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	e := open(t, b, fakeeditor.Options{})
	s := b.serving
	e.Start("mcp/tools/call", map[string]any{"server": "s", "params": map[string]any{"name": "t"}})
	<-begun
	e.Vanish()
	<-s.done // which waits for the call
	<-b.closed
	for _, line := range s.logs.All() {
		if line.Level >= zap.ErrorLevel {
			t.Errorf("the log says %q: %v", line.Message, line.ContextMap())
		}
	}
}

func TestApprove(t *testing.T) {
	params := ApproveParams{
		Kind: "server", Server: "s", Digest: "d", Reason: "new",
		Definition: ApprovalDefinition{Source: "file:///w/.mcp.json", Transport: "stdio", Command: "npx", Args: []string{"-y", "x"}},
		Text:       ApprovalText{Title: "May it?", Short: "npx", Whole: "npx", Complete: true},
	}
	for _, test := range []struct {
		name, capabilities, method string
		answer                     any
		want                       Decision
	}{
		{"allow", string(mcpEditor), "editord/approve", map[string]string{"decision": "allow"}, DecisionAllow},
		{"deny", string(mcpEditor), "editord/approve", map[string]string{"decision": "deny"}, DecisionDeny},
		{"later", string(mcpEditor), "editord/approve", map[string]string{"decision": "later"}, DecisionLater},
		{"no decision", string(mcpEditor), "editord/approve", map[string]bool{"decision": true}, DecisionLater},
		{"null", string(mcpEditor), "editord/approve", nil, DecisionLater},
		{"Allow in a box", `{}`, "window/showMessageRequest", map[string]string{"title": "Allow"}, DecisionAllow},
		{"Deny in a box", `{}`, "window/showMessageRequest", map[string]string{"title": "Deny"}, DecisionDeny},
		{"Later in a box", `{}`, "window/showMessageRequest", map[string]string{"title": "Later"}, DecisionLater},
		{"a box that was closed", `{}`, "window/showMessageRequest", nil, DecisionLater},
		{"MCP without approval", `{"experimental":{"mcp":{}}}`, "window/showMessageRequest", map[string]string{"title": "Allow"}, DecisionAllow},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{
				Capabilities: json.RawMessage(test.capabilities),
				Answers:      map[string]fakeeditor.Answer{test.method: always(test.answer)},
			})
			got, err := b.theEditor().Approve(t.Context(), params)
			if err != nil || got != test.want {
				t.Fatalf("Approve returned %s, %v, want %s", got, err, test.want)
			}
			m := e.AwaitMethod(test.method)
			if test.method != "editord/approve" { // the first action is what a bare Enter takes
				if got := titles(rawjson.Get(m.Params, "actions")); !slices.Equal(got, []string{"Later", "Deny", "Allow"}) {
					t.Errorf("the box offers %q", got)
				}
			} else {
				wantJSON(t, m.Params, `{"kind":"server","server":"s","digest":"d","definition":{"source":"file:///w/.mcp.json","transport":"stdio","command":"npx","args":["-y","x"]},"reason":"new","text":{"title":"May it?","short":"npx","whole":"npx","complete":true}}`)
			}
		})
	}
	t.Run("an error is no yes", func(t *testing.T) {
		b := newFakeBackend()
		open(t, b, fakeeditor.Options{Answers: map[string]fakeeditor.Answer{
			"window/showMessageRequest": func(json.RawMessage) (any, error) { return nil, &fakeeditor.RPCError{Code: -32603, Message: "no"} },
		}})
		if got, err := b.theEditor().Approve(t.Context(), params); err == nil || got == DecisionAllow {
			t.Errorf("Approve returned %s, %v", got, err)
		}
	})
}

// Promise 1: what does not fit in a box is not allowed in a box.
func TestPromise1ApproveInABoxThatIsTooSmall(t *testing.T) {
	const boxes, document = "window/showMessageRequest", "window/showDocument"
	showing := `{"window":{"showDocument":{"support":true}}}`
	params := ApproveParams{Server: "a; b", Text: ApprovalText{Title: "May it?", Short: "the program", Whole: "the whole of it", Before: "what was"}}
	for _, test := range []struct {
		name, capabilities string
		choose             []string // in each box
		shown              any      // the answer to showDocument
		want               Decision
		actions            [][]string
		says               string // the last box
	}{
		{"look", showing, []string{"Look"}, map[string]bool{"success": true}, DecisionLater, [][]string{{"Later", "Look"}}, "the whole of it"},
		{"later", showing, []string{"Later"}, nil, DecisionLater, [][]string{{"Later", "Look"}}, "the whole of it"},
		{"an action that was not offered", showing, []string{"Allow"}, nil, DecisionLater, [][]string{{"Later", "Look"}}, "the whole of it"},
		{"not shown", showing, []string{"Look"}, map[string]bool{"success": false}, DecisionLater, [][]string{{"Later", "Look"}}, "the whole of it"},
		{"cannot show", `{}`, []string{"Allow"}, nil, DecisionLater, [][]string{{"Later", "Deny"}}, "you cannot allow it here"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.o.TextDir = filepath.Join(t.TempDir(), "texts")
			var asked [][]string
			var last, file string
			e := open(t, b, fakeeditor.Options{
				Capabilities: json.RawMessage(test.capabilities),
				Answers: map[string]fakeeditor.Answer{
					boxes: func(p json.RawMessage) (any, error) {
						asked, last = append(asked, titles(rawjson.Get(p, "actions"))), rawjson.String(p, "message")
						return map[string]string{"title": test.choose[len(asked)-1]}, nil
					},
					document: func(p json.RawMessage) (any, error) {
						path, err := fileuri.ToPath(rawjson.String(p, "uri"))
						if err != nil {
							return nil, err
						}
						info, err := os.Stat(path)
						if err != nil || info.Mode() != 0o400 || filepath.Dir(path) != b.o.TextDir || filepath.Ext(path) != ".mcp" {
							t.Errorf("the document is %s, %v, %v", path, info, err)
						}
						text, err := os.ReadFile(path)
						file = string(text)
						return test.shown, err
					},
				},
			})
			got, err := b.theEditor().Approve(t.Context(), params)
			if err != nil || got != test.want {
				t.Errorf("Approve returned %s, %v, want %s", got, err, test.want)
			}
			if !reflect.DeepEqual(asked, test.actions) || !strings.Contains(last, test.says) {
				t.Errorf("the boxes offered %v; the last said %q", asked, last)
			}
			if strings.Contains(test.says, "cannot") || test.shown != nil {
				awaitText(e, "window/showMessage", "mcp-editord approvals allow 'a; b'")
			}
			if test.shown != nil && file != questionDocument(params) {
				t.Errorf("the document is %q", file)
			}
		})
	}
}
