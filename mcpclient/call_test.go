package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
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
		if got := <-done; got.err != nil || string(got.result) != result {
			t.Errorf("got %s %v, want %s", got.result, got.err, result)
		}
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

func TestCallRefusesParams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		for _, params := range []string{`[]`, `"a"`, `null`, ``, `{"a":1,"a":2}`, `{`, "{\"a\":\"\xff\"}"} {
			_, err := c.Call(t.Context(), Call{Method: "tools/call", Params: json.RawMessage(params)})
			wantKind(t, err, wire.KindInvalidParams)
			wantKind(t, c.Notify(t.Context(), "notifications/x", json.RawMessage(params)), wire.KindInvalidParams)
		}
		synctest.Wait()
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
		{name: "null", answer: wire.Response{Result: json.RawMessage(`null`)}, kind: wire.KindInvalidResult},
		{name: "neither result nor error", kind: wire.KindInvalidResult},
		{name: "over the frame limit", answer: wire.Response{Error: wire.Errorf(wire.KindTooLarge, "", "too large")}, kind: wire.KindTooLarge},
		{name: "an HTTP error", answer: wire.Response{Error: wire.Errorf(wire.KindHTTP, "404", "refused")}, kind: wire.KindHTTP},
		{name: "not valid", answer: wire.Response{Error: wire.Errorf(wire.KindInvalidResult, "", "not JSON")}, kind: wire.KindInvalidResult},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, w := startMem(t, newMemServer(), &memHost{}, nil)
			done := goCall(t.Context(), c, Call{Method: "tools/call"})
			tt.answer.ID = w.request(t, "tools/call").ID
			w.in <- &tt.answer
			wantKind(t, (<-done).err, tt.kind)
			if s := c.Status(); s.State != StateReady {
				t.Errorf("the session did not survive: %+v", s)
			}
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
		if n := c.Counters().LateResponses; n != 5 {
			t.Errorf("%d answers were counted, want 5", n)
		}
		if !slices.ContainsFunc(c.LogLines(20), func(l string) bool { return strings.Contains(l, "dropped an answer") }) {
			t.Errorf("no warning in %q", c.LogLines(20))
		}
		s := c.session
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.pending) != 0 {
			t.Errorf("%d requests are left in the table", len(s.pending))
		}
	})
}

// Fault call-unanswered: the caller gives up, the server is told, its late answer is dropped.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := goCall(ctx, c, Call{Method: "tools/call"})
		r := w.request(t, "tools/call")
		before := time.Now()
		cancel()
		wantKind(t, (<-done).err, wire.KindCancelled)
		if time.Since(before) != 0 {
			t.Errorf("it took %v", time.Since(before))
		}
		n := w.request(t, "notifications/cancelled")
		if got := string(rawjson.Get(n.Params, "requestId")); got != idOf(r) || n.IsCall() {
			t.Errorf("cancelled %s, want %s", n.Params, idOf(r))
		}
		w.reply(r, `{"late":true}`)
		synctest.Wait()
		if n := c.Counters().LateResponses; n != 1 {
			t.Errorf("%d late answers", n)
		}
		if _, err := c.Call(ctx, Call{Method: "tools/call"}); err == nil {
			t.Error("a call with a ctx that has ended was made")
		}
		w.quiet(t)
	})
}

func TestCancelOfATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Call(ctx, Call{Method: "tools/call", Params: json.RawMessage(`{"task":{"ttl":1}}`)})
		wantKind(t, err, wire.KindTimeout)
		w.request(t, "tools/call")
		synctest.Wait()
		w.quiet(t)
	})
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
			_, err := c.Call(t.Context(), Call{Method: tt.method, Timeout: tt.timeout})
			wantKind(t, err, wire.KindTimeout)
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
		for i := range 5 { // each restarts the clock
			<-time.After(9 * time.Second)
			w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, idOf(r), i))
			w.say(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"`+idOf(r)+`","progress":-1}}`)
			w.say(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":777,"progress":-1}}`)
			w.say(t, `{"jsonrpc":"2.0","method":"notifications/progress"}`)
		}
		for i := range 100 {
			w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, idOf(r), 5+i))
		}
		w.reply(r, `{}`)
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+idOf(r)+`,"progress":-1}}`)
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
		before := time.Now()
		done = goCall(t.Context(), c, Call{Method: "tools/call", Timeout: 10 * time.Second})
		wantKind(t, (<-done).err, wire.KindTimeout) // without progress the clock runs
		if d := time.Since(before); d != 10*time.Second {
			t.Errorf("it took %v", d)
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
			_, err := c.Call(t.Context(), Call{Method: "tools/call"})
			if e := wantKind(t, err, wire.KindNotReady); e.Detail != string(state) {
				t.Errorf("detail %q, want %q", e.Detail, state)
			}
			_, err = c.List(t.Context(), ListTools)
			wantKind(t, err, wire.KindNotReady)
			wantKind(t, c.Notify(t.Context(), "notifications/x", nil), wire.KindNotReady)
		}
		want(StateStopped)
		c.Start()
		w := <-m.wires
		want(StateStarting)
		w.end(wire.Errorf(wire.KindExit, "", "it exited"))
		synctest.Wait()
		want(StateRestarting)
		if s := c.Status(); s.State != StateRestarting || s.Err.Kind != wire.KindExit {
			t.Errorf("status %+v", s)
		}
		c.Close()
		want(StateStopped)
		wantKind(t, c.Start().Wait(t.Context()), wire.KindNotReady)
	})
}

// Notifications go out in the order in which they were given.
func TestNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		for i := range 10 {
			if err := c.Notify(t.Context(), "notifications/n", json.RawMessage(fmt.Sprintf(`{"i":%d}`, i))); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 10 {
			if r := w.request(t, "notifications/n"); string(r.Params) != fmt.Sprintf(`{"i":%d}`, i) {
				t.Errorf("number %d is %s", i, r.Params)
			}
		}
	})
}
