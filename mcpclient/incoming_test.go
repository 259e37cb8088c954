package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestRequestsOfTheServer(t *testing.T) {
	answer := func(result string, err error) func(context.Context, Ask) (json.RawMessage, error) {
		return func(context.Context, Ask) (json.RawMessage, error) { return json.RawMessage(result), err }
	}
	for _, tt := range []struct {
		name, capabilities, method string
		host                       func(context.Context, Ask) (json.RawMessage, error)
		want                       string
	}{
		{name: "ping", method: "ping", want: `"result":{}`},
		{name: "roots, always", method: "roots/list", host: answer(`{"roots":[{"uri":"file:///a"}]}`, nil), want: `"result":{"roots":[{"uri":"file:///a"}]}`},
		{name: "sampling", capabilities: `{"sampling":{}}`, method: "sampling/createMessage", host: answer(`{"n":1.50}`, nil), want: `"result":{"n":1.50}`},
		{name: "sampling not declared", capabilities: `{"elicitation":{}}`, method: "sampling/createMessage", want: `"code":-32601`},
		{name: "elicitation", capabilities: `{"elicitation":{}}`, method: "elicitation/create", host: answer(`{"action":"cancel"}`, nil), want: `"result":{"action":"cancel"}`},
		{name: "elicitation not declared", method: "elicitation/create", want: `"code":-32601`},
		{name: "unknown", method: "server/fancy", want: `"code":-32601`},
		{name: "the host's error", method: "roots/list", host: answer("", &wire.Error{Kind: wire.KindRPC, Code: -1, Message: "no", Data: json.RawMessage(`[1]`)}), want: `"error":{"code":-1,"message":"no","data":[1]}`},
		{name: "any other error", method: "roots/list", host: answer("", errors.New("broken")), want: `"error":{"code":-32603,"message":"broken"}`},
		{name: "no object", method: "roots/list", host: answer("[]", nil), want: `"code":-32603`},
		{name: "not JSON", method: "roots/list", host: answer("{\n", nil), want: `"code":-32603`},
		{
			name: "a panic", method: "roots/list", want: `"error":{"code":-32603,"message":"internal error"}`,
			host: func(context.Context, Ask) (json.RawMessage, error) { panic("oops") },
		},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, w := startMem(t, newMemServer(), &memHost{request: tt.host}, func(o *Options) {
				if tt.capabilities != "" {
					o.Capabilities = json.RawMessage(tt.capabilities)
				}
			})
			for _, id := range []string{`7`, `"seven"`} {
				w.say(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+tt.method+`"}`)
				got := w.response(t)
				if !strings.Contains(got, `"id":`+id) || !strings.Contains(got, tt.want) {
					t.Errorf("answered %s, want %s", got, tt.want)
				}
			}
			wantState(t, c, StateReady, "")
		})
	}
}

// A question of the server knows who waits for which tool, can be withdrawn, and stops the clocks
// of the calls while it is open.
func TestQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan []Owner, 1)
		answer := make(chan string)
		ended := make(chan error, 1)
		h := &memHost{request: func(ctx context.Context, ask Ask) (json.RawMessage, error) {
			asked <- ask.Owners
			select {
			case a := <-answer:
				return json.RawMessage(a), nil
			case <-ctx.Done():
				ended <- ctx.Err()
				return nil, ctx.Err()
			}
		}}
		c, w := startMem(t, newMemServer(), h, nil)
		first := goCall(t.Context(), c, Call{Method: "tools/call", Params: json.RawMessage(`{"arguments":{"name":"no"},"name":"write_file"}`), Owner: Owner{User: 1}, Timeout: 10 * time.Second})
		r := w.request(t, "tools/call")
		second := goCall(t.Context(), c, Call{Method: "vendor/thing", Params: json.RawMessage(`{"name":"no"}`), Owner: Owner{User: 2}, Timeout: 10 * time.Second})
		w.request(t, "vendor/thing")
		goCall(t.Context(), c, Call{Method: "tools/call"}) // nobody's
		w.request(t, "tools/call")

		w.say(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		if got := <-asked; !slices.Equal(got, []Owner{{User: 1, Tool: "write_file"}, {User: 2}}) {
			t.Errorf("owners %v", got)
		}
		<-time.After(time.Hour)
		synctest.Wait()
		if n := c.pendingCalls(); n != 3 {
			t.Fatalf("%d calls are under way after an hour of thinking, want 3", n)
		}
		// The clock of a call that begins now does not run either.
		third := goCall(t.Context(), c, Call{Method: "tools/call", Owner: Owner{User: 3}, Timeout: time.Second})
		w.request(t, "tools/call")
		<-time.After(time.Minute)
		before := time.Now()
		answer <- `{"roots":[]}`
		w.response(t)
		wantKind(t, (<-third).err, wire.KindTimeout)
		if d := time.Since(before); d != time.Second {
			t.Errorf("the clock of the call went on for %v", d)
		}
		w.request(t, "notifications/cancelled")
		w.reply(r, `{}`)
		(<-first).ok(t)

		// Withdrawn by the server: not answered.
		w.say(t, `{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
		if got := <-asked; !slices.Equal(got, []Owner{{User: 2}}) {
			t.Errorf("owners %v", got)
		}
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}`)
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
		synctest.Wait()
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q","reason":"never mind"}}`)
		if err := <-ended; err != context.Canceled {
			t.Error(err)
		}
		wantKind(t, (<-second).err, wire.KindTimeout)
		if r := w.request(t, "notifications/cancelled"); !strings.Contains(string(r.Params), "requestId") {
			t.Error("the withdrawn question was answered")
		}

		// The end of the wire ends it too.
		w.say(t, `{"jsonrpc":"2.0","id":2,"method":"roots/list"}`)
		<-asked
		w.exit()
		if err := <-ended; err != context.Canceled {
			t.Error(err)
		}
	})
}

// A question ends with the call that led to it, when nobody waits for that any more; one of several calls
// may belong to another.
func TestQuestionOfACallThatIsGivenUp(t *testing.T) {
	for _, others := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			asked, ended := make(chan struct{}), make(chan struct{})
			h := &memHost{request: func(ctx context.Context, _ Ask) (json.RawMessage, error) {
				close(asked)
				<-ctx.Done()
				close(ended)
				return json.RawMessage(`{"action":"cancel"}`), nil
			}}
			c, w := startMem(t, newMemServer(), h, func(o *Options) { o.Capabilities = json.RawMessage(`{"elicitation":{}}`) })
			ctx, cancel := context.WithCancel(t.Context())
			given := goCall(ctx, c, Call{Method: "tools/call", Owner: Owner{User: 1}})
			w.request(t, "tools/call")
			for range others {
				goCall(t.Context(), c, Call{Method: "tools/call", Owner: Owner{User: 2}})
				w.request(t, "tools/call")
			}
			w.say(t, memElicit)
			<-asked
			cancel()
			<-given
			w.request(t, "notifications/cancelled")
			synctest.Wait()
			select {
			case <-ended:
				if others > 0 {
					t.Error("a question that may be of the other call has ended")
				} else if got := w.response(t); !strings.Contains(got, `{"action":"cancel"}`) {
					t.Errorf("answered %s", got)
				}
			default:
				if others == 0 {
					t.Error("the question is still open")
				}
				w.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`)
				<-ended
			}
		})
	}
}

func TestTooManyQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan string)
		h := &memHost{request: func(ctx context.Context, _ Ask) (json.RawMessage, error) {
			select {
			case a := <-answer:
				return json.RawMessage(a), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		c, w := startMem(t, newMemServer(), h, nil)
		for i := range maxIncoming {
			w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, i))
		}
		w.quiet(t)
		w.say(t, `{"jsonrpc":"2.0","id":0,"method":"roots/list"}`)
		if got := w.response(t); !strings.Contains(got, `"code":-32600`) {
			t.Errorf("the doubled id was answered with %s", got)
		}
		w.say(t, `{"jsonrpc":"2.0","id":"more","method":"roots/list"}`)
		if got := w.response(t); !strings.Contains(got, `"code":-32603`) || !strings.Contains(got, "busy") {
			t.Errorf("one too many was answered with %s", got)
		}
		if n := c.Counters()["refusedRequests"]; n != 1 {
			t.Errorf("%d refused", n)
		}
		w.say(t, `{"jsonrpc":"2.0","id":"p","method":"ping"}`) // needs no place
		if got := w.response(t); !strings.Contains(got, `"id":"p"`) {
			t.Error(got)
		}
		answer <- `{"roots":[]}`
		if got := w.response(t); !strings.Contains(got, `"roots":[]`) {
			t.Error(got)
		}
		w.say(t, `{"jsonrpc":"2.0","id":"more","method":"roots/list"}`) // there is room again
		answer <- `{"roots":[]}`
		w.response(t)
	})
}

// Faults stray-answer and invalid-message: whatever the server sends, the session answers the next ping.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":"1","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`,
		`{"jsonrpc":"2.0","id":[],"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1e300,"method":"roots/list","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e9}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":"x"}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":[],"data":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":7}`,
		`{"jsonrpc":"2.0","method":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		// Messages that a wire lets through.
		if rawjson.Check(frame) != nil {
			t.Skip()
		}
		m, err := wire.Decode(frame)
		if err != nil {
			t.Skip()
		}
		synctest.Test(t, func(t *testing.T) {
			_, w := startMem(t, newMemServer(), &memHost{}, nil)
			w.in <- m
			w.say(t, `{"jsonrpc":"2.0","id":"still there","method":"ping"}`)
			for !strings.Contains(string(encoded(<-w.asked)), `"still there"`) {
			}
		})
	})
}
