package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestCallPassesBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		c, w := startMem(t, m, &memHost{}, nil)
		done := goCall(t.Context(), c, Call{Method: "tools/call", Params: json.RawMessage(`{"z":1, "n":12345678901234567890,"_meta":{"k":1,"progressToken":"mine"}}`)})
		r := w.request(t, "tools/call")
		want := `{"z":1, "n":12345678901234567890,"_meta":{"k":1,"progressToken":` + idOf(r) + `}}`
		if string(r.Params) != want {
			t.Errorf("params %s, want %s", r.Params, want)
		}
		const result = `{ "b":9007199254740993,"a":[{"type":"hologram"}] , "x":null}`
		w.reply(r, result)
		(<-done).is(t, result)
		done = goCall(t.Context(), c, Call{Method: "tools/call"})
		r2 := w.request(t, "tools/call")
		if idOf(r2) == idOf(r) {
			t.Error("an id was used twice")
		}
		if want := `{"_meta":{"progressToken":` + idOf(r2) + `}}`; string(r2.Params) != want {
			t.Errorf("params %s, want %s", r2.Params, want)
		}
		w.in <- &wire.Response{ID: r2.ID, Error: &wire.Error{Kind: wire.KindRPC, Code: -32042, Message: "theirs", Data: json.RawMessage(`{"a":1}`)}}
		var theirs *wire.Error
		if got := <-done; !errors.As(got.err, &theirs) || theirs.Kind != wire.KindRPC || theirs.Code != -32042 || theirs.Message != "theirs" || string(theirs.Data) != `{"a":1}` {
			t.Errorf("got %#v", got.err)
		}
	})
}

// What the server did not declare, and what no message may have, is not sent.
func TestRefusedUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		for _, params := range []string{`[]`, `"a"`, `null`, ``, `{"a":1,"a":2}`, `{`, "{\"a\":\"\xff\"}"} {
			wantKind(t, failure(c.Call(t.Context(), Call{Method: "tools/call", Params: json.RawMessage(params)})), wire.KindInvalidParams)
			wantKind(t, c.Notify(t.Context(), "notifications/x", json.RawMessage(params)), wire.KindInvalidParams)
		}
		wantKind(t, failure(c.Call(t.Context(), Call{Method: "prompts/get"})), wire.KindCapabilityNotSupported)
		wantKind(t, failure(c.List(t.Context(), wire.ListResources)), wire.KindCapabilityNotSupported)
		w.quiet(t)
	})
}

func TestOddAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer wire.Response
		kind   wire.Kind
	}{
		{name: "no object", answer: wire.Response{Result: json.RawMessage(`"ok"`)}, kind: wire.KindInvalidResult},
		{name: "neither result nor error", kind: wire.KindInvalidResult},
		{name: "over the frame limit", answer: wire.Response{Error: wire.Errorf(wire.KindTooLarge, "", "too large")}, kind: wire.KindTooLarge},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, w := startMem(t, newMemServer(), &memHost{}, nil)
			done := goCall(t.Context(), c, Call{Method: "tools/call"})
			tt.answer.ID = w.request(t, "tools/call").ID
			w.in <- &tt.answer
			wantKind(t, (<-done).err, tt.kind)
			wantState(t, c, StateReady, "")
		})
	}
}

// Fault stray-answer: answers with ids that are not pending are dropped and counted.
func TestAnswersToNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		r := w.request(t, "tools/call")
		w.say(t, `{"jsonrpc":"2.0","id":"`+idOf(r)+`","result":{"wrong":1}}`)
		w.say(t, `{"jsonrpc":"2.0","id":4711,"result":{"wrong":2}}`)
		w.say(t, `{"jsonrpc":"2.0","id":-1,"error":{"code":1,"message":"x"}}`)
		w.in <- &wire.Response{Error: &wire.Error{Kind: wire.KindRPC, Code: -32700, Message: "id null"}}
		w.reply(r, `{"right":1}`)
		w.reply(r, `{"doubled":1}`)
		if got := <-done; string(got.result) != `{"right":1}` {
			t.Errorf("got %s %v", got.result, got.err)
		}
		synctest.Wait()
		if n := c.Counters()["lateResponses"]; n != 5 {
			t.Errorf("%d answers were counted, want 5", n)
		}
		wantLog(t, c, "dropped an answer")
		if n := c.pendingCalls(); n != 0 {
			t.Errorf("%d requests are left in the table", n)
		}
	})
}

// Fault call-unanswered: the caller gives up, the server is told, its late answer is dropped. "For
// task-augmented requests, the tasks/cancel request MUST be used instead" (MCP 2025-11-25, Cancellation);
// 2026-07-28 has no such requests.
func TestCancel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server func() *memServer
		params string
		told   bool
	}{
		{"2025-11-25", newMemServer, `{}`, true},
		{"2025-11-25, a task", newMemServer, `{"task":{"ttl":1}}`, false},
		{"2026-07-28", newModernServer, `{"task":{"ttl":1}}`, true},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := tt.server()
			m.leave(wire.MethodCancelled)
			c, w := startMem(t, m, &memHost{}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			done := goCall(ctx, c, Call{Method: "tools/call", Params: json.RawMessage(tt.params)})
			r := w.request(t, "tools/call")
			before := time.Now()
			cancel()
			wantKind(t, (<-done).err, wire.KindCancelled)
			if time.Since(before) != 0 {
				t.Errorf("it took %v", time.Since(before))
			}
			if tt.told {
				n := w.request(t, wire.MethodCancelled)
				if got := string(rawjson.Get(n.Params, "requestId")); got != idOf(r) || n.IsCall() {
					t.Errorf("cancelled %s, want %s", n.Params, idOf(r))
				}
			}
			w.reply(r, `{"late":true}`)
			synctest.Wait()
			if n := c.Counters()["lateResponses"]; n != 1 {
				t.Errorf("%d late answers", n)
			}
			if _, err := c.Call(ctx, Call{Method: "tools/call"}); err == nil {
				t.Error("a call with a ctx that has ended was made")
			}
			w.quiet(t)
		})
	}
}

func TestTimeouts(t *testing.T) {
	for _, tt := range []struct {
		method  string
		timeout time.Duration // of the Call
		want    time.Duration
	}{
		{method: "tools/call", want: 60 * time.Second},
		{method: "vendor/work", want: 60 * time.Second},
		{method: "tools/call", timeout: 3 * time.Second, want: 3 * time.Second},
		{method: "logging/setLevel", want: 30 * time.Second},
		{method: "ping", want: 30 * time.Second},
	} {
		bubble(t, fmt.Sprint(tt.method, tt.timeout), func(t *testing.T) {
			m := newMemServer()
			m.leave("ping")
			c, w := startMem(t, m, &memHost{}, nil)
			before := time.Now()
			wantKind(t, failure(c.Call(t.Context(), Call{Method: tt.method, Timeout: tt.timeout})), wire.KindTimeout)
			if d := time.Since(before); d != tt.want {
				t.Errorf("it took %v, want %v", d, tt.want)
			}
			r := w.request(t, tt.method)
			if n := w.request(t, "notifications/cancelled"); string(rawjson.Get(n.Params, "requestId")) != idOf(r) {
				t.Errorf("cancelled %s", n.Params)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		var got []string // not locked: Progress has returned when Call returns
		done := goCall(t.Context(), c, Call{Method: "tools/call", Timeout: 10 * time.Second, Progress: func(p json.RawMessage) {
			got = append(got, string(rawjson.Get(p, "progress")))
		}})
		r := w.request(t, "tools/call")
		say := func(token, progress any) {
			w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%v,"progress":%v}}`, token, progress))
		}
		for i := range 5 { // each restarts the clock
			<-time.After(9 * time.Second)
			say(idOf(r), i)
			say(`"`+idOf(r)+`"`, -1)
			say(777, -1)
			w.say(t, `{"jsonrpc":"2.0","method":"notifications/progress"}`)
		}
		for i := range 100 {
			say(idOf(r), 5+i)
		}
		w.reply(r, `{}`)
		say(idOf(r), -1)
		if a := <-done; a.err != nil {
			t.Fatal(a.err)
		}
		var want []string
		for i := range 105 {
			want = append(want, fmt.Sprint(i))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}

// A call that is given up while its progress is handed over returns after that.
func TestGivingUpDuringProgress(t *testing.T) {
	c, w := startMem(t, newMemServer(), &memHost{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	returned := false // written by Progress, read after Call: the race detector watches
	done := goCall(ctx, c, Call{Method: "tools/call", Progress: func(json.RawMessage) {
		cancel()
		for c.pendingCalls() > 0 { // the call is on its way out
			runtime.Gosched()
		}
		returned = true
	}})
	r := w.request(t, "tools/call")
	w.say(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+idOf(r)+`}}`)
	wantKind(t, (<-done).err, wire.KindCancelled)
	if !returned {
		t.Error("Call returned before Progress")
	}
}

// pendingCalls returns how many requests of Calls wait for an answer.
func (c *Client) pendingCalls() int {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, p := range s.pending {
		if p.caller {
			n++
		}
	}
	return n
}

func TestNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.leave("initialize")
		c := newMemClient(t, m, &memHost{}, nil)
		want := func(state State) {
			t.Helper()
			if e := wantKind(t, failure(c.Call(t.Context(), Call{Method: "tools/call"})), wire.KindNotReady); e.Detail != string(state) {
				t.Errorf("detail %q, want %q", e.Detail, state)
			}
			wantKind(t, failure(c.List(t.Context(), wire.ListTools)), wire.KindNotReady)
			wantKind(t, c.Notify(t.Context(), "notifications/x", nil), wire.KindNotReady)
		}
		want(StateStopped)
		c.Start()
		w := <-m.wires
		want(StateStarting)
		w.exit()
		synctest.Wait()
		want(StateRestarting)
		wantState(t, c, StateRestarting, wire.KindExit)
		c.Close()
		want(StateStopped)
		wantKind(t, c.Start().Wait(t.Context()), wire.KindNotReady)
	})
}

// What ends a call, whatever it waits for. A stop gives calls time.
func TestEndOfACall(t *testing.T) {
	asks := func(ctx context.Context, _ Ask) (json.RawMessage, error) { // a person who does not answer
		<-ctx.Done()
		return nil, ctx.Err()
	}
	visit := func(w *memWire, r *wire.Request) { w.refuse(r, elicitations("x")) }
	tool := Call{Method: "tools/call"}
	for _, waits := range []struct {
		what   string
		server func() *memServer
		host   func(context.Context, Ask) (json.RawMessage, error)
		call   Call
		asked  string                            // what the server is asked first
		answer func(w *memWire, r *wire.Request) // to that; nil for none
		time   time.Duration                     // that a stop gives it
	}{
		{"its answer", newMemServer, asks, tool, "tools/call", nil, drainTimeout},
		{"an input", newModernServer, asks, tool, "tools/call", func(w *memWire, r *wire.Request) {
			w.reply(r, `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`)
		}, drainTimeout},
		{"consent to a visit", newMemServer, asks, tool, "tools/call", visit, drainTimeout},
		{"the end of a visit", newMemServer, accept, tool, "tools/call", visit, drainTimeout},
		{"a stream", newModernServer, asks, Call{
			Method: wire.MethodSubscribe, Params: json.RawMessage(`{"uri":"a"}`),
		}, wire.MethodListen, nil, 0},
	} {
		for _, tt := range []struct {
			name string
			end  func(c *Client, w *memWire, cancel func())
			kind wire.Kind
			time time.Duration
		}{
			{"the caller gives up", func(_ *Client, _ *memWire, cancel func()) { cancel() }, wire.KindCancelled, 0},
			{"the server ends", func(_ *Client, w *memWire, _ func()) { w.exit() }, wire.KindGone, 0},
			{"Stop", func(c *Client, _ *memWire, _ func()) { c.Stop() }, wire.KindGone, waits.time},
			{"Restart", func(c *Client, _ *memWire, _ func()) { c.Restart() }, wire.KindGone, waits.time},
			{"Close", func(c *Client, _ *memWire, _ func()) { c.Close() }, wire.KindGone, 0},
		} {
			bubble(t, waits.what+", "+tt.name, func(t *testing.T) {
				m := waits.server()
				m.answer(wire.MethodCancelled, "")
				c, w := startMem(t, m, &memHost{request: waits.host}, withInputs)
				m.leave(wire.MethodListen)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := goCall(ctx, c, waits.call)
				r := w.request(t, waits.asked)
				if waits.answer != nil {
					waits.answer(w, r)
				}
				synctest.Wait()
				begun := time.Now()
				go tt.end(c, w, cancel)
				wantKind(t, (<-done).err, tt.kind)
				if d := time.Since(begun); d != tt.time {
					t.Errorf("after %v, want %v", d, tt.time)
				}
				if waits.what != "the end of a visit" { // it is tried again, without waiting for ever
					w.quiet(t)
				}
			})
		}
	}
}
