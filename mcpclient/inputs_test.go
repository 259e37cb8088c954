package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func withInputs(o *Options) {
	o.Capabilities = json.RawMessage(`{"sampling":{},"elicitation":{"form":{},"url":{}}}`)
}

// "The client MUST echo back the exact value of that field" (MCP 2026-07-28,
// Multi Round-Trip Requests, Client Requirements).
func TestInputs(t *testing.T) {
	const elicit = `{"method":"elicitation/create","params":{"message":"who?"}}`
	for _, tt := range []struct {
		name    string
		results []string // of the rounds before the last
		added   []string // to the params, in the rounds after the first
		asked   []string
	}{
		{
			name:    "one",
			results: []string{`{"resultType":"input_required","inputRequests":{"k":` + elicit + `},"requestState":"s"}`},
			added:   []string{`"inputResponses":{"k":{"to":"elicitation/create"}},"requestState":"s"`},
			asked:   []string{`elicitation/create {"message":"who?"} [me]`},
		},
		{
			name: "several, in the order of the server",
			results: []string{`{"resultType":"input_required","inputRequests":{"z":{"method":"roots/list"},"a \"b\"":{"method":"sampling/createMessage","params":{"n":9007199254740993}},"":` +
				elicit + `}}`},
			added: []string{`"inputResponses":{"z":{"to":"roots/list"},"a \"b\"":{"to":"sampling/createMessage"},"":{"to":"elicitation/create"}}`},
			asked: []string{`elicitation/create {"message":"who?"} [me]`, `roots/list  [me]`, `sampling/createMessage {"n":9007199254740993} [me]`},
		},
		{
			name: "several rounds, each with its own state and inputs alone",
			results: []string{
				`{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":"one"}`,
				`{"resultType":"input_required","requestState":"two"}`,
				`{"resultType":"input_required","inputRequests":{"l":{"method":"roots/list"}}}`,
			},
			added: []string{
				`"inputResponses":{"k":{"to":"roots/list"}},"requestState":"one"`,
				`"requestState":"two"`,
				`"inputResponses":{"l":{"to":"roots/list"}}`,
			},
			asked: []string{`roots/list  [me]`, `roots/list  [me]`},
		},
		{name: "no inputs asked for", results: []string{`{"resultType":"input_required","inputRequests":{}}`}, added: []string{`"inputResponses":{}`}},
		{name: "state with escapes", results: []string{`{"resultType":"input_required","requestState":"\u00e9\/\ud83d\ude00é\n"}`}, added: []string{`"requestState":"\u00e9\/\ud83d\ude00é\n"`}},
		{name: "state that is null", results: []string{`{"resultType":"input_required","requestState":null}`}, added: []string{`"requestState":null`}},
		{name: "state that is empty", results: []string{`{"resultType":"input_required","requestState":""}`}, added: []string{`"requestState":""`}},
		{name: "state that is an object", results: []string{`{"resultType":"input_required","requestState":{"b": [9007199254740993],"a":1}}`}, added: []string{`"requestState":{"b": [9007199254740993],"a":1}`}},
	} {
		for _, method := range []string{"tools/call", "prompts/get", "resources/read"} {
			bubble(t, tt.name+", "+method, func(t *testing.T) {
				h := &memHost{}
				m := newModernServer()
				m.answer("server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}}}`)
				c, w := startMem(t, m, h, withInputs)
				done := goCall(t.Context(), c, Call{Method: method, Params: json.RawMessage(`{"name":"a","n":1.0}`), Owner: Owner{User: 1, Command: "me"}})
				ids := map[string]bool{}
				for round := range len(tt.results) + 1 {
					r := w.request(t, method)
					want := `{"name":"a","n":1.0`
					if round > 0 {
						want += "," + tt.added[round-1]
					}
					if got := string(rawjson.Delete(r.Params, "_meta")); got != want+"}" {
						t.Errorf("round %d: params %s, want %s}", round, got, want)
					}
					if string(rawjson.Path(r.Params, "_meta", wire.MetaVersion)) != `"2026-07-28"` {
						t.Errorf("round %d: params %s", round, r.Params)
					}
					// "The JSON-RPC id MUST be different between the initial request and the retry".
					if ids[idOf(r)] {
						t.Errorf("round %d has id %s again", round, idOf(r))
					}
					ids[idOf(r)] = true
					if round < len(tt.results) {
						w.reply(r, tt.results[round])
					} else {
						w.reply(r, `{"resultType":"complete","done":1.0}`)
					}
				}
				(<-done).is(t, `{"resultType":"complete","done":1.0}`)
				if got := h.asked(); !slices.Equal(got, tt.asked) {
					t.Errorf("asked %q, want %q", got, tt.asked)
				}
			})
		}
	}
}

// Results that do not lead to another round.
func TestInputsThatAreNone(t *testing.T) {
	many := make([]string, maxIncoming+1)
	for i := range many {
		many[i] = fmt.Sprintf(`"%d":{"method":"roots/list"}`, i)
	}
	for _, tt := range []struct {
		name, method, capabilities, result string
		detail                             string // of wire.KindInvalidResult; "" when the result passes
		legacy                             bool   // the era, where resultType is a member like any other
	}{
		{name: "complete", result: `{"resultType":"complete","requestState":"s"}`},
		{name: "of an older server", result: `{"requestState":"s","inputRequests":{"k":{"method":"roots/list"}}}`},
		{name: "of the legacy era", legacy: true, result: `{"resultType":"input_required","requestState":"s"}`},
		{name: "unknown", result: `{"resultType":"task"}`, detail: "resultType"},
		{name: "unknown, no string", result: `{"resultType":null}`, detail: "resultType"},
		{name: "unknown, with extensions", capabilities: `{"extensions":{"vendor/x":{}}}`, result: `{"resultType":"task"}`},
		{name: "for a method that takes none", method: "completion/complete", result: `{"resultType":"input_required","requestState":"s"}`, detail: "resultType"},
		{name: "neither inputs nor state", result: `{"resultType":"input_required"}`, detail: "inputRequests"},
		{name: "undeclared", capabilities: `{"elicitation":{}}`, result: `{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"},"k":{"method":"sampling/createMessage"}}}`, detail: "inputRequests"},
		{name: "of a method that is no input", result: `{"resultType":"input_required","inputRequests":{"k":{"method":"tools/call"}}}`, detail: "inputRequests"},
		{name: "without a method", result: `{"resultType":"input_required","inputRequests":{"k":{}}}`, detail: "inputRequests"},
		{name: "no object", result: `{"resultType":"input_required","inputRequests":["roots/list"]}`, detail: "inputRequests"},
		{name: "too many", result: `{"resultType":"input_required","inputRequests":{` + strings.Join(many, ",") + `}}`, detail: "inputRequests"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			h := &memHost{}
			m := newModernServer()
			m.answer("server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"completions":{}}}`)
			if tt.legacy {
				m = newMemServer()
			}
			c, w := startMem(t, m, h, func(o *Options) {
				if tt.capabilities != "" {
					o.Capabilities = json.RawMessage(tt.capabilities)
				}
			})
			if tt.method == "" {
				tt.method = "tools/call"
			}
			done := goCall(t.Context(), c, Call{Method: tt.method})
			w.reply(w.request(t, tt.method), tt.result)
			got := <-done
			if tt.detail == "" {
				if got.err != nil || string(got.result) != tt.result {
					t.Errorf("%s %v", got.result, got.err)
				}
			} else if e := wantKind(t, got.err, wire.KindInvalidResult); e.Detail != tt.detail {
				t.Errorf("%+v", e)
			}
			w.quiet(t)
			if asked := h.asked(); len(asked) > 0 {
				t.Errorf("the host was asked %q", asked)
			}
		})
	}
}

// A server that never has enough is given up after ten rounds, and nobody is asked
// for input that would not be sent.
func TestInputsWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{}
		m := newModernServer()
		m.answer("tools/call", `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}`)
		c, _ := startMem(t, m, h, nil)
		wantKind(t, failure(c.Call(t.Context(), Call{Method: "tools/call"})), wire.KindInvalidResult)
		if sent, asked := m.times("tools/call"), len(h.asked()); sent != 1+maxRounds || asked != maxRounds {
			t.Errorf("%d requests, %d questions", sent, asked)
		}
	})
}

// Inputs are asked for at the same time, and no clock of the call runs meanwhile.
func TestInputsAreConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var both sync.WaitGroup
		both.Add(2)
		h := &memHost{request: func(_ context.Context, ask Ask) (json.RawMessage, error) {
			both.Done()
			both.Wait()
			<-time.After(time.Hour)
			if ask.Owners != nil {
				t.Errorf("owners %v", ask.Owners)
			}
			return json.RawMessage(`{}`), nil
		}}
		c, w := startMem(t, newModernServer(), h, withInputs)
		begun := time.Now()
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		w.reply(w.request(t, "tools/call"), `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create"}}}`)
		r := w.request(t, "tools/call")
		if d := time.Since(begun); d != time.Hour {
			t.Errorf("after %v", d)
		}
		w.reply(r, `{}`)
		(<-done).ok(t)
	})
}

// An input that fails is the end of the call; the other questions are withdrawn.
func TestInputFails(t *testing.T) {
	for _, tt := range []struct {
		name string
		fail func() (json.RawMessage, error)
		code int64
		says string
	}{
		{"refused", func() (json.RawMessage, error) {
			return nil, &wire.Error{Kind: wire.KindRPC, Code: -1, Message: "rejected by the user"}
		}, -1, "rejected by the user"},
		{"another error", func() (json.RawMessage, error) { return nil, errors.New("nobody is there") }, -32603, "nobody is there"},
		{"panic", func() (json.RawMessage, error) { panic("boom") }, -32603, "internal error"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			withdrawn := make(chan struct{})
			h := &memHost{request: func(ctx context.Context, ask Ask) (json.RawMessage, error) {
				if ask.Method == "roots/list" {
					return tt.fail()
				}
				<-ctx.Done()
				close(withdrawn)
				return nil, ctx.Err()
			}}
			c, w := startMem(t, newModernServer(), h, withInputs)
			done := goCall(t.Context(), c, Call{Method: "tools/call"})
			w.reply(w.request(t, "tools/call"), `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"},"b":{"method":"roots/list"}}}`)
			var e *wire.Error
			if err := (<-done).err; !errors.As(err, &e) || e.Kind != wire.KindRPC || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || !strings.Contains(e.Message, "roots/list") {
				t.Errorf("%#v", err)
			}
			<-withdrawn
			w.quiet(t)
			c.must(t, Call{Method: "ping"}) // the session has not suffered
		})
	}
}
