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

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// elicitations is the object of an error that sends the user to these ids.
func elicitations(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, `{"mode":"url","elicitationId":"`+id+`","url":"https://example.com/`+id+`","n":9007199254740993}`)
	}
	return `{"code":-32042,"message":"visit us","data":{"elicitations":[` + strings.Join(list, ",") + `]}}`
}

func elicited(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"` + id + `"}}`
}

// wantRefusal fails the test unless err is the server's error as it was.
func wantRefusal(t *testing.T, err error) {
	t.Helper()
	var e *wire.Error
	if !errors.As(err, &e) || e.Kind != wire.KindRPC || e.Code != wire.CodeURLElicitation || e.Message != "visit us" {
		t.Errorf("got %#v", err)
	}
}

// The user is sent to all addresses, and the identical request is sent again when the
// server has said that they were at all of them (MCP 2025-11-25, Elicitation).
func TestVisit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before []string // ids that are complete while the user is still asked
		after  []string // afterwards
	}{
		{name: "before the person has answered", before: []string{"y", "unknown", "x", "x"}},
		{name: "afterwards", after: []string{"unknown", "x", "x", "y"}},
		{name: "both", before: []string{"y"}, after: []string{"x"}},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			proceed := make(chan struct{})
			h := &memHost{request: func(context.Context, Ask) (json.RawMessage, error) {
				<-proceed
				return json.RawMessage(`{"action":"accept"}`), nil
			}}
			c, w := startMem(t, newMemServer(), h, withInputs)
			done := goCall(t.Context(), c, Call{Method: "tools/call", Params: json.RawMessage(`{"n":1.0}`), Owner: Owner{User: 1, Command: "me"}})
			first := w.request(t, "tools/call")
			w.refuse(first, elicitations("x", "y"))
			synctest.Wait()
			want := []string{
				`elicitation/create {"mode":"url","elicitationId":"x","url":"https://example.com/x","n":9007199254740993} [me]`,
				`elicitation/create {"mode":"url","elicitationId":"y","url":"https://example.com/y","n":9007199254740993} [me]`,
			}
			if got := h.asked(); !slices.Equal(got, want) {
				t.Errorf("asked %q", got)
			}
			for _, id := range tt.before {
				w.say(t, elicited(id))
			}
			w.quiet(t)
			close(proceed)
			for _, id := range tt.after {
				w.quiet(t)
				w.say(t, elicited(id))
			}
			again := w.request(t, "tools/call")
			if idOf(again) == idOf(first) || !strings.HasPrefix(string(again.Params), `{"n":1.0,"_meta":`) {
				t.Errorf("sent again: %s %s", idOf(again), again.Params)
			}
			w.reply(again, `{"ok":true}`)
			(<-done).is(t, `{"ok":true}`)
			synctest.Wait()
			if n := len(h.told()); n != len(tt.before)+len(tt.after) {
				t.Errorf("the host was told %q", h.told())
			}
		})
	}
}

// Otherwise the error is the caller's.
func TestNoVisit(t *testing.T) {
	many := make([]string, maxIncoming+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for _, tt := range []struct {
		name         string
		server       func() *memServer // of the legacy era when nil
		capabilities string            // withInputs when ""
		refusal      string            // of x when ""
		answers      []string
		asked        int
	}{
		{name: "declined", answers: []string{`{"action":"decline"}`}, asked: 1},
		{name: "no action", answers: []string{`{}`}, asked: 1},
		{name: "one of two declined", refusal: elicitations("x", "y"), answers: []string{`{"action":"accept"}`, `{"action":"decline"}`}, asked: 2},
		{name: "nobody there", answers: []string{""}, asked: 1},
		{name: "no url", capabilities: `{"elicitation":{"form":{}}}`},
		{name: "no list", refusal: `{"code":-32042,"message":"visit us","data":{"elicitations":{"mode":"url"}}}`},
		{name: "empty", refusal: elicitations()},
		{name: "no id", refusal: elicitations("x", "")},
		{name: "id that is a number", refusal: `{"code":-32042,"message":"visit us","data":{"elicitations":[{"mode":"url","elicitationId":7}]}}`},
		{name: "a form", refusal: `{"code":-32042,"message":"visit us","data":{"elicitations":[{"mode":"form","elicitationId":"x"}]}}`},
		{name: "no objects", refusal: `{"code":-32042,"message":"visit us","data":{"elicitations":[7,"x",null]}}`},
		// "Implementations of this protocol version MUST NOT emit these codes" (MCP 2026-07-28, Overview, Error Codes).
		{name: "the modern era", server: newModernServer},
		{name: "too many", refusal: elicitations(many...)},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			next := make(chan string, 2)
			for _, answer := range tt.answers {
				next <- answer
			}
			h := &memHost{request: func(context.Context, Ask) (json.RawMessage, error) {
				if answer := <-next; answer != "" {
					return json.RawMessage(answer), nil
				}
				return nil, &wire.Error{Kind: wire.KindRPC, Code: -32603, Message: "nobody is there"}
			}}
			if tt.server == nil {
				tt.server = newMemServer
			}
			c, w := startMem(t, tt.server(), h, func(o *Options) {
				withInputs(o)
				if tt.capabilities != "" {
					o.Capabilities = json.RawMessage(tt.capabilities)
				}
			})
			if tt.refusal == "" {
				tt.refusal = elicitations("x")
			}
			done := goCall(t.Context(), c, Call{Method: "tools/call"})
			w.refuse(w.request(t, "tools/call"), tt.refusal)
			wantRefusal(t, (<-done).err)
			if n := len(h.asked()); n != tt.asked {
				t.Errorf("asked %d times", n)
			}
			w.quiet(t)
		})
	}
}

func accept(context.Context, Ask) (json.RawMessage, error) {
	return json.RawMessage(`{"action":"accept"}`), nil
}

// A server that never says that the user is done is tried again, less and less often, for
// ten minutes from when they have accepted. The user is asked once.
func TestVisitTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{request: func(context.Context, Ask) (json.RawMessage, error) {
			<-time.After(time.Hour)
			return json.RawMessage(`{"action":"accept"}`), nil
		}}
		m := newMemServer()
		begun := time.Now()
		var tries []time.Duration
		m.answerBy("tools/call", func(json.RawMessage) string {
			tries = append(tries, time.Since(begun))
			return memError + elicitations("x", "y")
		})
		c, w := startMem(t, m, h, withInputs)
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		<-time.After(time.Hour)
		w.say(t, elicited("y"))
		wantRefusal(t, (<-done).err)
		if d := time.Since(begun); d != time.Hour+maxVisit {
			t.Errorf("after %v", d)
		}
		s5 := 5 * time.Second
		if want := []time.Duration{0, time.Hour + s5, time.Hour + 3*s5, time.Hour + 7*s5}; len(tries) != 14 || !slices.Equal(tries[:4], want) {
			t.Errorf("tried after %v", tries)
		}
		if n := len(h.asked()); n != 2 {
			t.Errorf("the host was asked %d times", n)
		}
		// What comes too late does no harm, and nothing is left of it.
		w.say(t, elicited("x"))
		w.quiet(t)
		s := c.session
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.visitors) != 0 {
			t.Errorf("%d visitors are left", len(s.visitors))
		}
	})
}

// Two calls that wait for the same id are both sent again. A call that gave up does not hinder
// the other.
func TestVisitOfTwoCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{request: accept}
		c, w := startMem(t, newMemServer(), h, withInputs)
		ctx, cancel := context.WithCancel(t.Context())
		var calls []<-chan memResult
		for i := range 3 {
			of := t.Context()
			if i == 0 {
				of = ctx
			}
			calls = append(calls, goCall(of, c, Call{Method: "tools/call"}))
			w.refuse(w.request(t, "tools/call"), elicitations("x", "x"))
			synctest.Wait()
		}
		cancel()
		wantKind(t, (<-calls[0]).err, wire.KindCancelled)
		w.say(t, elicited("x"))
		for range 2 {
			w.reply(w.request(t, "tools/call"), `{}`)
		}
		for _, done := range calls[1:] {
			(<-done).ok(t)
		}
	})
}

// A server that always wants another visit is given up.
func TestVisitsWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &memHost{request: accept}
		m := newMemServer()
		c, w := startMem(t, m, h, withInputs)
		done := goCall(t.Context(), c, Call{Method: "tools/call"})
		for range maxRounds {
			w.refuse(w.request(t, "tools/call"), elicitations("x"))
			synctest.Wait()
			w.say(t, elicited("x"))
		}
		w.refuse(w.request(t, "tools/call"), elicitations("x"))
		wantRefusal(t, (<-done).err)
		if n := len(h.asked()); n != maxRounds {
			t.Errorf("asked %d times", n)
		}
	})
}
