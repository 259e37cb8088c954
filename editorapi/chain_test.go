package editorapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// call is the params of a tools/call of a server.
func call(tool string) map[string]any {
	return map[string]any{"server": "s", "params": map[string]any{"name": tool}}
}

// Fault id-reused: an id that is in flight is refused, and the request that has it is
// not disturbed.
func TestDuplicateID(t *testing.T) {
	for _, id := range []string{`7000`, `"seven"`} {
		t.Run(id, func(t *testing.T) {
			release, started := make(chan struct{}), make(chan struct{})
			b := newFakeBackend()
			b.call = func(ctx context.Context, c Call) (json.RawMessage, error) {
				close(started)
				select {
				case <-release:
					return json.RawMessage(`"first"`), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			e := open(t, b, fakeeditor.Options{})
			first := e.StartID(json.RawMessage(id), "mcp/tools/call", call("t"))
			<-started
			second := e.StartID(json.RawMessage(id), "editord/servers", nil)
			if _, err := second.Wait(); err == nil || err.Code != -32600 {
				t.Fatalf("the second request was answered with %v", err)
			}
			close(release)
			m := e.Await("the first answer", func(m fakeeditor.Message) bool { return string(m.ID) == string(first.ID) && m.Result != nil })
			wantJSON(t, m.Result, `"first"`)
			if _, err := e.StartID(json.RawMessage(`"again"`), "editord/servers", nil).Wait(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Fault call-unanswered: a cancelled request is answered at once, however slow the backend is,
// and exactly once: what the backend says later is dropped. Its id can be used again at once.
func TestCancel(t *testing.T) {
	for _, id := range []string{`1234567890123`, `"x\n"`} {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, started := make(chan struct{}), make(chan struct{})
				b := newFakeBackend()
				b.call = func(ctx context.Context, _ Call) (json.RawMessage, error) {
					close(started)
					<-ctx.Done()
					<-release // deaf for a while
					return json.RawMessage(`"late"`), nil
				}
				e := open(t, b, fakeeditor.Options{})
				p := e.StartID(json.RawMessage(id), "mcp/tools/call", call("t"))
				<-started
				p.Cancel()
				_, err := p.Wait()
				wantError(t, err, -32800, KindCancelled, "")
				e.StartID(json.RawMessage(id), "mcp/roots/list", map[string]string{"server": "s"})
				synctest.Wait()
				close(release)
				synctest.Wait() // the late result has had its effect
				answers := 0
				for _, m := range e.Messages() {
					if !m.Sent && string(m.ID) == id {
						answers++
					}
				}
				if answers != 2 {
					e.Fatalf("there were %d answers", answers)
				}
			})
		})
	}
}

// Fault handler-panic: a panic costs one request.
func TestPanic(t *testing.T) {
	b := newFakeBackend()
	b.begin = func(Call) { panic("a bug with a secret") }
	b.notify = func(string, string, json.RawMessage) { panic("another bug") }
	e := open(t, b, fakeeditor.Options{})
	s := b.serving
	for range 2 {
		_, err := e.Request("mcp/tools/call", call("t"))
		wantError(t, err, -32603, KindInternal, "")
		if strings.Contains(err.Message, "secret") {
			t.Errorf("the editor was told %q", err.Message)
		}
	}
	e.Notify("mcp/notifications/x", map[string]string{"server": "s"})
	e.Call("editord/servers", nil, nil)
	logged := s.logs.FilterMessage("a handler panicked")
	if logged.Len() != 3 {
		t.Fatalf("%d panics were logged, want 3", logged.Len())
	}
	if stack, _ := logged.All()[0].ContextMap()["stack"].(string); !strings.Contains(stack, "TestPanic") {
		t.Errorf("the stack does not show where it was:\n%s", stack)
	}
}

// A panic while an editor attaches costs that initialize.
func TestPanicInAttach(t *testing.T) {
	b := newFakeBackend()
	b.attach = func(Editor, AttachParams) {
		b.attach = nil
		panic("a bug")
	}
	conn, _ := serve(t, b)
	e := fakeeditor.New(t, conn, fakeeditor.Options{})
	_, err := e.Request("initialize", e.InitializeParams())
	wantError(t, err, -32603, KindInternal, "")
	e.Initialize()
}

// No more than maxServing requests of one editor are served at a time; one that was cancelled
// counts until the backend is done with it.
func TestBusy(t *testing.T) {
	release := make(chan struct{})
	b := newFakeBackend()
	b.call = func(context.Context, Call) (json.RawMessage, error) {
		<-release
		return json.RawMessage("1"), nil
	}
	e := open(t, b, fakeeditor.Options{})
	var pending []*fakeeditor.Pending
	for range maxServing {
		pending = append(pending, e.Start("mcp/tools/call", call("t")))
	}
	pending[0].Cancel()
	_, err := pending[0].Wait()
	wantError(t, err, -32800, KindCancelled, "")
	_, err = e.Request("mcp/tools/call", call("t"))
	wantError(t, err, -32803, KindBusy, "")
	close(release)
	waitFor(t, pending[1:]...)
}

// The errors of the backend, as the editor gets them.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"own", &Error{Kind: KindServerNotReady, Server: "s", Detail: "starting", Message: "wait"},
			`{"code":-32803,"message":"wait","data":{"kind":"serverNotReady","server":"s","detail":"starting"}}`},
		{"own, wrapped", fmt.Errorf("calling: %w", errorf(KindTooLarge, "", "too large")),
			`{"code":-32803,"message":"too large","data":{"kind":"tooLarge"}}`},
		{"a server's", &RPCError{Code: -32042, Message: "sign <in> \"é\"", Data: json.RawMessage(`{"b": 1, "a": 9007199254740993}`)},
			`{"code":-32042,"message":"sign <in> \"é\"","data":{"b": 1, "a": 9007199254740993}}`},
		{"not UTF-8", &RPCError{Code: 5, Message: "a\xffb"}, `{"code":5,"message":"a` + "\ufffd" + `b"}`},
		{"unknown", errors.New("password: hunter2"),
			`{"code":-32603,"message":"mcp-editord made a mistake with this request; its log file has the details","data":{"kind":"internal"}}`},
		{"cancelled by itself", context.Canceled, `{"code":-32800,"message":"the request was cancelled","data":{"kind":"cancelled"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.call = func(context.Context, Call) (json.RawMessage, error) { return nil, test.err }
			e := open(t, b, fakeeditor.Options{})
			p := e.Start("mcp/tools/call", call("t"))
			p.Wait()
			m := e.Await("the answer", func(m fakeeditor.Message) bool { return m.Error != nil })
			wantJSON(t, rawjson.Get(m.Raw, "error"), test.want)
		})
	}
}

// Changes of a server's life are asked for in the order of the wire, by commands too.
func TestLifeIsInOrder(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{})
	var want []string
	var pending []*fakeeditor.Pending
	for range 50 {
		for _, what := range []string{"start", "restart", "stop"} {
			want = append(want, what+" s")
			pending = append(pending, e.Start("editord/"+what+"Server", map[string]any{"server": "s"}))
		}
		want = append(want, "restart t")
		pending = append(pending, e.Start("workspace/executeCommand", map[string]any{
			"command": "editord.restartServer", "arguments": []any{map[string]any{"server": "t"}},
		}))
	}
	waitFor(t, pending...)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(b.changes, want) {
		t.Errorf("asked %v", b.changes)
	}
}

// What an editor asks about one subscription is done in the order of the wire, and about others meanwhile.
func TestSubscriptionsAreInOrder(t *testing.T) {
	b := newFakeBackend()
	stuck := make(chan struct{})
	b.call = func(_ context.Context, c Call) (json.RawMessage, error) {
		if strings.Contains(string(c.Params), "slow") {
			<-stuck
		}
		return json.RawMessage(`{}`), nil
	}
	e := open(t, b, fakeeditor.Options{})
	about := func(what, uri string) *fakeeditor.Pending {
		return e.Start("mcp/resources/"+what, map[string]any{"server": "s", "params": map[string]any{"uri": uri}})
	}
	slow, next := about("subscribe", "x:slow"), about("unsubscribe", "x:slow")
	next.Cancel() // which leaves its turn to nobody before
	last := about("subscribe", "x:slow")
	var want []string
	var pending []*fakeeditor.Pending
	for range 50 {
		for _, what := range []string{"subscribe", "unsubscribe"} {
			want = append(want, "resources/"+what)
			pending = append(pending, about(what, "x:quick"))
		}
	}
	waitFor(t, pending...)
	asked := func(uri string) (methods []string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, c := range b.calls {
			if strings.Contains(string(c.Params), uri) {
				methods = append(methods, c.Method)
			}
		}
		return methods
	}
	if got := asked("quick"); !slices.Equal(got, want) {
		t.Errorf("asked %v", got)
	}
	if got := asked("slow"); len(got) != 1 {
		t.Errorf("asked %v of what is under way", got)
	}
	close(stuck)
	waitFor(t, slow, last)
	if got := asked("slow"); !slices.Equal(got, []string{"resources/subscribe", "resources/subscribe"}) {
		t.Errorf("asked %v", got)
	}
}
