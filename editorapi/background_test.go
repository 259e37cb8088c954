package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// told lists what an editor received since the handshake: answers, values of $/progress, and messages.
func told(e *fakeeditor.Editor) (list []string) {
	for _, m := range e.Messages() {
		switch {
		case m.Sent:
		case m.Method == "$/progress":
			list = append(list, string(rawjson.Get(m.Params, "value")))
		case m.Method == "window/showMessage":
			list = append(list, string(rawjson.Get(m.Params, "type"))+" "+rawjson.String(m.Params, "message"))
		case m.Method == "" && m.Error != nil:
			list = append(list, "error")
		case m.Method == "":
			list = append(list, "answer "+string(m.Result))
		}
	}
	return list[1:]
}

// returns makes calls whose result is a text.
func returns(text string) func(context.Context, Call) (json.RawMessage, error) {
	return func(context.Context, Call) (json.RawMessage, error) {
		return json.RawMessage(`{"content":[{"type":"text","text":"` + text + `"}]}`), nil
	}
}

// withTool returns a backend whose only server s is ready and has the tool t.
func withTool(call func(context.Context, Call) (json.RawMessage, error)) *fakeBackend {
	b := newFakeBackend()
	b.call = call
	b.catalogs = []listing{offer("s", "t")}
	b.catalogs[0].Tools[0] = json.RawMessage(`{"name":"t","annotations":{"destructiveHint":false}}`)
	b.servers = []Server{{Name: "s", State: ServerReady}}
	b.o.ProgressAfter = time.Hour
	return b
}

// taking declares that the editor takes tokens.
var taking = json.RawMessage(`{"window":{"workDoneProgress":true}}`)

var takes = map[string]fakeeditor.Answer{"window/workDoneProgress/create": always(nil)}

// A plain client has its answer before the tool has. It is shown the result after the end of the progress,
// since an end clears the line in which Helix shows messages.
func TestPlainClientDoesNotWait(t *testing.T) {
	release := make(chan struct{})
	b := withTool(func(_ context.Context, c Call) (json.RawMessage, error) {
		<-release
		return json.RawMessage(`{"content":[{"type":"text","text":"hi"}]}`), nil
	})
	b.o.ProgressAfter = time.Nanosecond // the work counts as long at once
	e := open(t, b, fakeeditor.Options{Capabilities: taking, Answers: takes})
	for range 2 { // the second time with another token
		execute(t, e, json.RawMessage(`{"command":"mcp.tool.s.t","workDoneToken":"not used"}`))
	}
	e.Await("both begin", func(fakeeditor.Message) bool { return len(told(e)) == 4 })
	close(release)
	e.Await("both are shown", func(fakeeditor.Message) bool {
		return slices.Equal(lastOf(told(e), "3 t: hi"), []string{"3 t: hi", "3 t: hi"})
	})
	var tokens []string
	for _, m := range e.Messages() {
		if m.Method == "window/workDoneProgress/create" {
			tokens = append(tokens, rawjson.String(m.Params, "token"))
		}
	}
	if slices.Sort(tokens); len(tokens) != 2 || tokens[0] == tokens[1] || slices.Contains(tokens, "not used") {
		t.Errorf("the tokens are %q", tokens)
	}
	const begin, end = `{"kind":"begin","title":"s: t","cancellable":true}`, `{"kind":"end"}`
	got := told(e)
	if slices.Index(got, "answer null") > slices.Index(got, end) || len(lastOf(got, begin)) != 2 || len(lastOf(got, end)) != 2 {
		t.Errorf("told was %q", got)
	}
	if slices.Index(got, "3 t: hi") < slices.Index(got, end) {
		t.Errorf("the result came before the end: %q", got)
	}
}

// What comes of a command is sent when the editor has read the answer: lsp-mode loses what it reads together with that.
func TestPlainClientHasReadTheAnswer(t *testing.T) {
	b := withTool(returns("hi"))
	asked := make(chan struct{}, readTries)
	lost := make(chan struct{})
	defer close(lost)
	e := open(t, b, fakeeditor.Options{
		Capabilities: json.RawMessage(`{"workspace":{"configuration":true}}`),
		Answers: map[string]fakeeditor.Answer{"workspace/configuration": func(params json.RawMessage) (any, error) {
			if string(params) != `{"items":[]}` {
				t.Errorf("the editor is asked for %s", params)
			}
			if asked <- struct{}{}; len(asked) < 2 {
				<-lost
			}
			return []any{}, nil
		}},
	})
	execute(t, e, json.RawMessage(`{"command":"mcp.tool.s.t"}`))
	e.AwaitMethod("window/showMessage")
	if got := told(e); !slices.Equal(got, []string{"answer null", "3 t: hi"}) {
		t.Errorf("told was %q", got)
	}
	if len(asked) != 2 {
		t.Errorf("the editor was asked %d times, the first of which it lost", len(asked))
	}
}

// lastOf returns the elements of list that are want.
func lastOf(list []string, want string) (same []string) {
	for _, s := range list {
		if s == want {
			same = append(same, s)
		}
	}
	return same
}

// What a plain client is told of a call, in order.
func TestPlainClientIsTold(t *testing.T) {
	long := strings.Repeat("word ", 100)
	for _, test := range []struct {
		name, params string
		result       string
		err          error
		want         []string
	}{
		{"a result", `{"command":"mcp.tool.s.t"}`, `{"content":[{"type":"text","text":"a\nb\u001b"}]}`, nil, []string{"answer null", `3 t: a` + "\n" + `b\u{1b}`}},
		{"no text", `{"command":"mcp.tool.s.t"}`, `{"content":[]}`, nil, []string{"answer null", "3 t is done; its result is empty."}},
		{"a failed tool", `{"command":"mcp.tool.s.t"}`, `{"isError":true,"content":[{"type":"text","text":"no such file"}]}`, nil, []string{"answer null", "1 t: no such file"}},
		{"a failed tool without text", `{"command":"mcp.tool.s.t"}`, `{"isError":true}`, nil, []string{"answer null", "1 t failed, and does not say why."}},
		{"a failed tool with much text", `{"command":"mcp.tool.s.t"}`, `{"isError":true,"content":[{"type":"text","text":"first\n` + long + `"}]}`, nil,
			[]string{"answer null", "1 t: first …", "2 s.t: first … The rest cannot be shown: the log of mcp-editord says why."}},
		{"an error", `{"command":"mcp.tool.s.t"}`, "", &Error{Kind: KindTimeout, Message: "server \"s\" did not answer\x1b"}, []string{"answer null", `1 t: server "s" did not answer\u{1b}`}},
		{"an error of the server", `{"command":"mcp.tool.s.t"}`, "", &RPCError{Code: -1, Message: "no\nway"}, []string{"answer null", `1 t: no\nway`}},
		{"bad params", `{"command":"mcp.tool.s.t","arguments":[7]}`, "", nil, []string{`1 the member "arguments[0]" is not an object; correct it or leave it out`, "error"}},
		{"no such command", `{"command":"mcp.tool.s.x"}`, "", nil, []string{`1 there is no command "mcp.tool.s.x"; editord/catalog lists the commands`, "error"}},
		{"nothing to run", `{"command":"mcp.run"}`, "", nil, []string{"1 no call document is open; open a file whose name ends in .mcp", "error"}},
		{"no such server", `{"command":"editord.restartServer"}`, "", nil, []string{`1 the member "server" is missing; give it a value`, "error"}},
		{"a server that is not a name", `{"command":"editord.restartServer","arguments":[{"server":7}]}`, "", nil, []string{`1 the member "arguments[0].server" is not a string; correct it and send the request again`, "error"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := withTool(func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(test.result), test.err })
			b.servers = nil
			e := open(t, b, fakeeditor.Options{})
			_, _ = e.Request("workspace/executeCommand", json.RawMessage(test.params))
			e.Await("all", func(fakeeditor.Message) bool { return len(told(e)) == len(test.want) })
			if got := told(e); !slices.Equal(got, test.want) {
				t.Errorf("told was\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

// The reports of a call are shown though its request is answered, and the user can cancel it there.
func TestWorkIsCancelled(t *testing.T) {
	b := withTool(func(ctx context.Context, c Call) (json.RawMessage, error) {
		c.Progress(json.RawMessage(`{"progress":1,"total":4,"message":"one"}`))
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	e := open(t, b, fakeeditor.Options{Capabilities: taking, Answers: takes})
	execute(t, e, map[string]string{"command": "mcp.tool.s.t"})
	shown := e.Await("the report", func(m fakeeditor.Message) bool {
		return m.Method == "$/progress" && rawjson.String(rawjson.Get(m.Params, "value"), "message") == "one"
	})
	e.Notify("window/workDoneProgress/cancel", map[string]any{"token": json.RawMessage(rawjson.Get(shown.Params, "token"))})
	e.AwaitMethod("window/showMessage")
	want := []string{`{"kind":"begin","title":"s: t","cancellable":true}`, `{"kind":"report","cancellable":true,"message":"one","percentage":25}`, `{"kind":"end"}`, "3 t: the request was cancelled"}
	if got := slices.DeleteFunc(told(e), func(s string) bool { return s == "answer null" }); !slices.Equal(got, want) {
		t.Errorf("told was %q, want %q", got, want)
	}
}

// Work is bounded in number and by the memory of its editor, and ends with the editor.
func TestWorkIsBounded(t *testing.T) {
	b := withTool(func(ctx context.Context, c Call) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	b.memory = budget.New(64 << 10)
	e := open(t, b, fakeeditor.Options{})
	s := b.serving
	const size = 40 << 10
	large := map[string]any{"command": "mcp.tool.s.t", "arguments": []any{map[string]string{"x": strings.Repeat("x", size)}}}
	_, err := e.Request("workspace/executeCommand", large) // it would be held twice
	wantError(t, err, -32803, KindBusy, "")
	for i := range maxWorks {
		if _, err := e.Request("workspace/executeCommand", map[string]string{"command": "mcp.tool.s.t"}); err != nil {
			t.Fatal(fmt.Sprint(i), err)
		}
	}
	_, err = e.Request("workspace/executeCommand", map[string]string{"command": "mcp.tool.s.t"})
	wantError(t, err, -32803, KindBusy, "")
	e.Vanish()
	<-s.done
	if used := b.memory.Used(); used != 0 {
		t.Errorf("%d bytes are held when the editor has gone", used)
	}
}
