package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// received lists what an editor received since the handshake: the values of $/progress, "relayed" for progress that is,
// and "answer" for answers.
func received(e *fakeeditor.Editor) (list []string) {
	for _, m := range e.Messages() {
		switch {
		case m.Sent:
		case m.Method == "$/progress":
			list = append(list, string(rawjson.Get(m.Params, "token"))+" "+string(rawjson.Get(m.Params, "value")))
		case m.Method == "mcp/notifications/progress":
			list = append(list, "relayed")
		case m.Method == "":
			list = append(list, "answer")
		}
	}
	return list[1:]
}

// The order: begin, reports, end, result.
func TestProgress(t *testing.T) {
	call := func(_ context.Context, c Call) (json.RawMessage, error) {
		for _, params := range []string{
			`{"progressToken":"p","progress":1}`,
			`{"progress":1,"total":3,"message":"one"}`,
			`{"progress":2.9999,"total":3,"message":"\u001b[31mtwo\u202e"}`,
			`{"progress":7,"total":3}`,
			`{"progress":"nonsense"}`,
			`{"progress":1,"total":0,"other":{}}`,
		} {
			c.Progress(json.RawMessage(params))
		}
		return json.RawMessage("{}"), nil
	}
	for _, token := range []string{`"tok"`, `12`} {
		b := newFakeBackend()
		b.call = call
		e := open(t, b, fakeeditor.Options{})
		params := fmt.Sprintf(`{"server":"s","params":{"name":"t"},"workDoneToken":%s}`, token)
		for range 2 { // the token is free again with the answer
			e.Call("mcp/tools/call", json.RawMessage(params), nil)
		}
		want := []string{
			token + ` {"kind":"begin","title":"s: t","cancellable":true}`,
			token + ` {"kind":"report","cancellable":true}`,
			token + ` {"kind":"report","cancellable":true,"message":"one","percentage":33}`,
			token + ` {"kind":"report","cancellable":true,"message":"\\u{1b}[31mtwo\\u{202e}","percentage":99}`,
			token + ` {"kind":"report","cancellable":true,"percentage":100}`,
			token + ` {"kind":"report","cancellable":true}`,
			token + ` {"kind":"end"}`,
			"answer",
		}
		if got := received(e); !slices.Equal(got, append(want, want...)) {
			t.Errorf("received\n%s\nwant twice\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// No progress of a cancelled call follows its answer, though its server goes on.
func TestNoProgressAfterTheAnswer(t *testing.T) {
	cancel := func(_ *fakeeditor.Editor, p *fakeeditor.Pending) { p.Cancel() }
	shown := []string{`"tok" {"kind":"begin","title":"s: tools/call","cancellable":true}`, `"tok" {"kind":"end"}`, "answer", "answer"}
	for _, test := range []struct {
		name, token string
		cancel      func(*fakeeditor.Editor, *fakeeditor.Pending)
		want        []string
	}{
		{"$/cancelRequest", "workDoneToken", cancel, shown},
		{"window/workDoneProgress/cancel", "workDoneToken", func(e *fakeeditor.Editor, _ *fakeeditor.Pending) {
			e.Notify("window/workDoneProgress/cancel", map[string]string{"token": "tok"})
		}, shown},
		{"relayed", "progressToken", cancel, []string{"answer", "answer"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			started, release, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
			b := newFakeBackend()
			b.call = func(_ context.Context, c Call) (json.RawMessage, error) {
				close(started)
				<-release
				c.Progress(json.RawMessage(`{"progress":1}`))
				close(over)
				return nil, nil
			}
			e := open(t, b, fakeeditor.Options{})
			p := e.Start("mcp/tools/call", map[string]any{"server": "s", test.token: "tok"})
			<-started
			test.cancel(e, p)
			_, err := p.Wait()
			wantError(t, err, -32800, KindCancelled, "")
			close(release)
			<-over
			e.Call("editord/servers", nil, nil)
			if got := received(e); !slices.Equal(got, test.want) {
				t.Errorf("received %q, want %q", got, test.want)
			}
		})
	}
}

// Two requests under way cannot share a token.
func TestTokenInUse(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	b := newFakeBackend()
	b.call = func(context.Context, Call) (json.RawMessage, error) {
		close(started)
		<-release
		return nil, nil
	}
	e := open(t, b, fakeeditor.Options{})
	params := map[string]any{"server": "s", "workDoneToken": "tok"}
	first := e.Start("mcp/tools/call", params)
	<-started
	_, err := e.Request("mcp/tools/call", params)
	wantError(t, err, -32602, KindInvalidParams, "workDoneToken")
	close(release)
	if _, err := first.Wait(); err != nil {
		t.Fatal(err)
	}
}

// An editor that shows progress and sent no token with a command is asked to take one
// when there is something to show.
func TestLazyProgress(t *testing.T) {
	const capabilities = `{"window":{"workDoneProgress":true},"experimental":{"mcp":{}}}`
	for _, test := range []struct {
		name, capabilities string
		accept             bool
		reports            int
		want               []string
	}{
		{"taken", capabilities, true, 3, []string{
			`{"kind":"begin","title":"s: t","cancellable":true}`,
			`{"kind":"report","cancellable":true,"message":"3"}`,
			`{"kind":"end"}`, "answer"}},
		{"refused", capabilities, false, 2, []string{"answer"}},
		{"nothing to show", capabilities, true, 0, []string{"answer"}},
		{"not declared", `{"experimental":{"mcp":{}}}`, true, 2, []string{"answer"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked, reported, answered := make(chan json.RawMessage, 1), make(chan struct{}), make(chan struct{})
			b := newFakeBackend()
			b.catalogs = []listing{{Server: Server{Name: "s", State: "ready"}, Tools: raw(`{"name":"t"}`)}}
			b.call = func(_ context.Context, c Call) (json.RawMessage, error) {
				for i := range test.reports {
					if c.Progress != nil {
						c.Progress(json.RawMessage(fmt.Sprintf(`{"progress":%d,"message":"%d"}`, i, i+1)))
					}
				}
				close(reported)
				if test.reports > 0 && c.Progress != nil {
					<-answered
				}
				return json.RawMessage("{}"), nil
			}
			e := open(t, b, fakeeditor.Options{
				Capabilities: json.RawMessage(test.capabilities),
				Answers: map[string]fakeeditor.Answer{"window/workDoneProgress/create": func(params json.RawMessage) (any, error) {
					<-reported
					asked <- rawjson.Get(params, "token")
					if !test.accept {
						return nil, &fakeeditor.RPCError{Code: 1, Message: "no"}
					}
					return nil, nil
				}},
			})
			p := e.Start("workspace/executeCommand", map[string]any{"command": "mcp.tool.s.t"})
			<-reported
			token := ""
			if test.reports > 0 && test.capabilities == capabilities {
				token = string(<-asked)
				if test.accept {
					e.Await("the report", func(m fakeeditor.Message) bool {
						return m.Method == "$/progress" && rawjson.String(rawjson.Get(m.Params, "value"), "kind") == "report"
					})
				}
			}
			close(answered)
			if _, err := p.Wait(); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, line := range test.want {
				if line != "answer" {
					line = token + " " + line
				}
				want = append(want, line)
			}
			if got := received(e); !slices.Equal(got, want) {
				t.Errorf("received %q, want %q", got, want)
			}
		})
	}
}

// Work that ends while the editor creates its token is begun and ended before its result comes: Helix shows it as
// going on until then.
func TestProgressOfWorkThatIsOver(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	b := withTool(func(_ context.Context, c Call) (json.RawMessage, error) {
		c.Progress(json.RawMessage(`{"progress":1}`))
		<-asked
		return json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`), nil
	})
	e := open(t, b, fakeeditor.Options{
		Capabilities: json.RawMessage(`{"window":{"workDoneProgress":true}}`),
		Answers: map[string]fakeeditor.Answer{"window/workDoneProgress/create": func(json.RawMessage) (any, error) {
			close(asked)
			<-release
			return nil, nil
		}},
	})
	execute(t, e, map[string]any{"command": "mcp.tool.s.t"})
	<-asked
	close(release)
	awaitText(e, "window/showMessage", "done")
	var kinds []string
	for _, m := range e.Messages() {
		if m.Method == "$/progress" {
			kinds = append(kinds, rawjson.String(rawjson.Get(m.Params, "value"), "kind"))
		}
		if m.Method == "window/showMessage" {
			kinds = append(kinds, "result")
		}
	}
	if len(kinds) < 3 || kinds[0] != "begin" || kinds[len(kinds)-2] != "end" || kinds[len(kinds)-1] != "result" {
		t.Errorf("the editor was told %q", kinds)
	}
}

// Progress that is wanted as MCP's own comes as the server wrote it, but for the token, before the result.
func TestProgressIsRelayed(t *testing.T) {
	for _, test := range []struct{ name, token, said, want string }{
		{"as it is", `"tok"`, `{ "progress" : 1.50,  "progressToken":7,"x-unknown":[1e400, null],"message":"\u00e9\n\u001b[31m"}`,
			`{ "progress" : 1.50,  "progressToken":"tok","x-unknown":[1e400, null],"message":"\u00e9\n\u001b[31m"}`},
		{"a number", `-12`, `{"progressToken":7,"progress":1,"total":3}`, `{"progressToken":-12,"progress":1,"total":3}`},
		{"an empty string", `""`, `{"progressToken":7,"progress":"nonsense"}`, `{"progressToken":"","progress":"nonsense"}`},
		{"escapes", `"\u0061\"\\"`, `{"progressToken":7}`, `{"progressToken":"\u0061\"\\"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.call = func(_ context.Context, c Call) (json.RawMessage, error) {
				for range 2 {
					said := []byte(test.said)
					c.Progress(said)
					clear(said) // it was only lent
				}
				return json.RawMessage("{}"), nil
			}
			e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(`{"window":{"workDoneProgress":true}}`)})
			e.Call("mcp/tools/call", json.RawMessage(`{"server":"s","params":{"name":"t"},"progressToken":`+test.token+`}`), nil)
			progress := `{"jsonrpc":"2.0","method":"mcp/notifications/progress","params":{"server":"s","params":` + test.want + `}}`
			var got []string
			for _, m := range e.Messages() {
				if !m.Sent {
					got = append(got, string(m.Raw))
				}
			}
			if got := got[1:]; len(got) != 3 || got[0] != progress || got[1] != progress || !strings.Contains(got[2], `"result"`) {
				t.Errorf("received\n%s\nwant twice\n%s\nand the result", strings.Join(got, "\n"), progress)
			}
		})
	}
}
