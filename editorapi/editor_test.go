package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/testkit/fakeeditor"
)

// ask attaches an editor with that one answer and returns what asks it.
func askable(t *testing.T, answer fakeeditor.Answer) (*fakeeditor.Editor, Editor) {
	t.Helper()
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Answers: map[string]fakeeditor.Answer{"mcp/sampling/createMessage": answer}})
	<-b.initialized
	return e, b.theEditor()
}

func TestAsk(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer fakeeditor.Answer
		want   string
		code   jsonrpc2.Code
	}{
		{"verbatim", func(json.RawMessage) (any, error) { return json.RawMessage(`{"n":9007199254740993,"s":"\u00e9"}`), nil }, `{"n":9007199254740993,"s":"\u00e9"}`, 0},
		{"null", func(json.RawMessage) (any, error) { return nil, nil }, `null`, 0},
		{"over 64 KiB", func(json.RawMessage) (any, error) { return strings.Repeat("x", 100<<10), nil }, `"` + strings.Repeat("x", 100<<10) + `"`, 0},
		{"error", func(json.RawMessage) (any, error) {
			return nil, &fakeeditor.RPCError{Code: -1, Message: "no", Data: json.RawMessage(`{"a":1}`)}
		}, "", -1},
		{"error that is not valid", func(json.RawMessage) (any, error) { return nil, &fakeeditor.RPCError{Code: 1 << 40, Message: "no"} }, "", -32603},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, editor := askable(t, test.answer)
			for range 2 { // the connection has survived
				result, err := editor.Ask(t.Context(), "mcp/sampling/createMessage", map[string]int{"x": 1})
				var rpc *jsonrpc2.Error
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

// Row 31 of the faults: a question that is withdrawn is cancelled at the editor; its
// late answer harms nobody.
func TestAskIsWithdrawn(t *testing.T) {
	release := make(chan struct{})
	e, editor := askable(t, func(json.RawMessage) (any, error) {
		<-release
		return "late", nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := editor.Ask(ctx, "mcp/sampling/createMessage", nil)
		done <- err
	}()
	question := e.AwaitMethod("mcp/sampling/createMessage")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Ask returned %v", err)
	}
	withdrawn := e.AwaitMethod("$/cancelRequest")
	wantJSON(t, withdrawn.Params, `{"id":`+string(question.ID)+`}`)
	close(release)
	if _, err := e.Request("editord/servers", nil); err != nil {
		t.Fatal(err)
	}
}

// A question that was withdrawn before it was sent is not sent.
func TestAskWithEndedContext(t *testing.T) {
	e, editor := askable(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := editor.Ask(ctx, "mcp/sampling/createMessage", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask returned %v", err)
	}
	if _, err := e.Request("editord/servers", nil); err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Messages() {
		if m.Method == "mcp/sampling/createMessage" {
			t.Error("it was sent")
		}
	}
}

// Row 30: an editor that goes away while it is asked.
func TestAskEndsWithTheEditor(t *testing.T) {
	release := make(chan struct{})
	e, editor := askable(t, func(json.RawMessage) (any, error) {
		<-release
		return nil, nil
	})
	defer close(release)
	done := make(chan error, 1)
	go func() {
		_, err := editor.Ask(context.Background(), "mcp/sampling/createMessage", nil)
		done <- err
	}()
	e.AwaitMethod("mcp/sampling/createMessage")
	e.Vanish()
	if err := <-done; !errors.Is(err, ErrEditorGone) {
		t.Errorf("Ask returned %v", err)
	}
}

// Row 35: an editor that stops reading is disconnected; the backend never waits for it.
func TestEditorStopsReading(t *testing.T) {
	b := newFakeBackend()
	conn, s := serve(t, b)
	e := fakeeditor.Open(t, conn, fakeeditor.Options{})
	<-b.initialized
	e.Stall()
	sent := 0
	for ; sent < 10*maxQueuedMessages; sent++ {
		if err := b.theEditor().Notify("editord/serverChanged", Server{Name: "s"}); err != nil {
			if !errors.Is(err, ErrEditorGone) {
				t.Errorf("Notify returned %v", err)
			}
			break
		}
	}
	if sent < maxQueuedMessages || sent > maxQueuedMessages+2 {
		t.Errorf("%d notifications were taken", sent)
	}
	<-s.done
	if !errors.Is(s.err, errPeerStalled) {
		t.Errorf("Serve returned %v", s.err)
	}
	<-b.closed
}

// Many goroutines use one editor at a time.
func TestEditorConcurrently(t *testing.T) {
	_, editor := askable(t, func(params json.RawMessage) (any, error) { return params, nil })
	done := make(chan error)
	for i := range 20 {
		go func() {
			for range 10 {
				result, err := editor.Ask(t.Context(), "mcp/sampling/createMessage", []int{i})
				if err == nil && string(result) != string(encodeOwn([]int{i})) {
					err = errors.New("got the answer of another: " + string(result))
				}
				if err == nil {
					err = editor.Notify("x", nil)
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestApprove(t *testing.T) {
	params := ApproveParams{
		Kind: "server", Server: "s", Digest: "d", Reason: "new",
		Definition: ApprovalDefinition{Source: "file:///w/.mcp.json", Transport: "stdio", Command: "npx", Args: []string{"-y", "x"}},
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
				Answers:      map[string]fakeeditor.Answer{test.method: func(json.RawMessage) (any, error) { return test.answer, nil }},
			})
			<-b.initialized
			got, err := b.theEditor().Approve(t.Context(), params)
			if err != nil || got != test.want {
				t.Fatalf("Approve returned %s, %v, want %s", got, err, test.want)
			}
			m := e.AwaitMethod(test.method)
			if test.method == "editord/approve" {
				wantJSON(t, m.Params, `{"kind":"server","server":"s","digest":"d","definition":{"source":"file:///w/.mcp.json","transport":"stdio","command":"npx","args":["-y","x"]},"reason":"new"}`)
			}
		})
	}
	t.Run("an error is no yes", func(t *testing.T) {
		b := newFakeBackend()
		open(t, b, fakeeditor.Options{Answers: map[string]fakeeditor.Answer{
			"window/showMessageRequest": func(json.RawMessage) (any, error) { return nil, &fakeeditor.RPCError{Code: -32603, Message: "no"} },
		}})
		<-b.initialized
		if got, err := b.theEditor().Approve(t.Context(), params); err == nil || got == DecisionAllow {
			t.Errorf("Approve returned %s, %v", got, err)
		}
	})
	t.Run("an editor that cannot ask tells how to say it elsewhere", func(t *testing.T) {
		b := newFakeBackend()
		e := open(t, b, fakeeditor.Options{})
		<-b.initialized
		if got, err := b.theEditor().Approve(t.Context(), params); err != nil || got != DecisionLater {
			t.Errorf("Approve returned %s, %v", got, err)
		}
		if text := rawjson.String(e.AwaitMethod("window/showMessage").Params, "message"); !strings.Contains(text, "mcp-editord approvals allow s") {
			t.Errorf("shown was %q", text)
		}
	})
	t.Run("a bare Enter allows nothing", func(t *testing.T) {
		b := newFakeBackend()
		e := open(t, b, fakeeditor.Options{Answers: map[string]fakeeditor.Answer{
			"window/showMessageRequest": func(p json.RawMessage) (any, error) {
				for first := range rawjson.Elements(rawjson.Get(p, "actions")) {
					return json.RawMessage(first), nil
				}
				return nil, nil
			},
		}})
		<-b.initialized
		if got, err := b.theEditor().Approve(t.Context(), params); err != nil || got != DecisionLater {
			t.Errorf("the first action is %s, %v", got, err)
		}
		e.AwaitMethod("window/showMessageRequest")
	})
}

func TestApprovalText(t *testing.T) {
	before := ApprovalDefinition{Source: "file:///w/.mcp.json", Command: "npx", Args: []string{"-y", "pkg"}, Cwd: "/w"}
	for _, test := range []struct {
		name   string
		params ApproveParams
		want   string
	}{
		{"a command", ApproveParams{Server: "s", Reason: "new", Definition: ApprovalDefinition{
			Source: "file:///w/.mcp.json", Command: "sh", Args: []string{"-c", "echo 'a b'", "", "plain"}, Env: []string{"TOKEN", "LOG"}, EnvFile: ".env", Cwd: "/w"}},
			"May the MCP server s run this? It is defined in a workspace file, not by you.\n" +
				"Command: sh -c \"echo 'a b'\" \"\" plain\nIn: /w\nEnvironment: TOKEN, LOG\nEnvironment file: .env\nFrom: file:///w/.mcp.json"},
		{"a URL", ApproveParams{Server: "s", Reason: "new", Definition: ApprovalDefinition{
			Source: "file:///w/.mcp.json", URL: "https://h/mcp", Headers: []string{"Authorization"}}},
			"May the MCP server s connect to this? It is defined in a workspace file, not by you.\n" +
				"URL: https://h/mcp\nHeaders: Authorization\nFrom: file:///w/.mcp.json"},
		{"changed", ApproveParams{Server: "s", Reason: "changed", Previous: &before, Definition: ApprovalDefinition{
			Source: "file:///w/.mcp.json", Command: "npx", Args: []string{"-y", "evil"}, Env: []string{"X"}, Cwd: "/w"}},
			"May the MCP server s run this? It is defined in a workspace file, not by you.\n" +
				"Command: npx -y evil\nIn: /w\nEnvironment: X\nFrom: file:///w/.mcp.json\n" +
				"It has changed since it was last decided. Before:\nCommand: npx -y pkg\nEnvironment: (none)"},
		{"text that wants to look like something else", ApproveParams{Server: "s\nCommand: ls", Reason: "new", Definition: ApprovalDefinition{
			Source: "x", Command: "rm\x1b[8m", Args: []string{"-rf\u202e", "\nCommand: ls"}}},
			"May the MCP server s\\nCommand: ls run this? It is defined in a workspace file, not by you.\n" +
				"Command: rm\\u{1b}[8m -rf\\u{202e} \"\\nCommand: ls\"\nFrom: x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.params.Text(); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	long := strings.Repeat("x", 100_000)
	if !strings.Contains((ApproveParams{Definition: ApprovalDefinition{Command: "c", Args: []string{long}}}).Text(), long) {
		t.Error("a long argument was cut")
	}
}
