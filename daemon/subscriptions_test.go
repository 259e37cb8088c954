//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// canElicit is declared by editors whose subscriptions the server holds up with a question.
var canElicit = editorapi.Capabilities{MCP: true, Elicitation: json.RawMessage(`{}`)}

// shared is a server that two editors share, with a record of what reaches it.
type shared struct {
	t      *testing.T
	d      *Daemon
	folder string
	script fakeserver.Script
	a, b   editorapi.Attachment
	as, bs *screen
}

// share attaches two editors to one server, which runs these steps for each resources/subscribe.
func share(t *testing.T, steps ...string) *shared {
	t.Helper()
	script := fakeserver.Script{Steps: map[string][]json.RawMessage{}}
	for _, step := range steps {
		script.Steps[wire.MethodSubscribe] = append(script.Steps[wire.MethodSubscribe], json.RawMessage(step))
	}
	return shareScript(t, script)
}

// shareScript is share with a choice of what the server does.
func shareScript(t *testing.T, script fakeserver.Script) *shared {
	t.Helper()
	h := &shared{t: t, as: newScreen(), bs: newScreen(), script: script}
	h.d, h.folder = newTestDaemon(t, time.Hour)
	h.script.Plain, h.script.Record, h.script.Unwatched = true, filepath.Join(t.TempDir(), "record"), filepath.Join(t.TempDir(), "unwatched")
	h.a = attachScreen(t, h.d, h.folder, h.as, h.script, canElicit)
	h.as.await(t, "ready")
	h.b = attachScreen(t, h.d, h.folder, h.bs, h.script, canElicit)
	h.bs.await(t, "ready")
	return h
}

// got returns what the server was sent about subscriptions: "+uri" and "-uri".
func (h *shared) got() (list []string) {
	h.t.Helper()
	record, err := os.ReadFile(h.script.Record)
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(record)) {
		uri := rawjson.String(rawjson.Get([]byte(line), "params"), "uri")
		switch rawjson.String([]byte(line), "method") {
		case wire.MethodSubscribe:
			list = append(list, "+"+uri)
		case wire.MethodUnsubscribe:
			list = append(list, "-"+uri)
		}
	}
	return list
}

func (h *shared) wantGot(want ...string) {
	h.t.Helper()
	if got := h.got(); !slices.Equal(got, want) {
		h.t.Errorf("the server got %q, want %q", got, want)
	}
}

// do sends a request about a resource that succeeds.
func (h *shared) do(a editorapi.Attachment, method, uri string) {
	h.t.Helper()
	result, err := call(h.t.Context(), a, method, `{"uri":"`+uri+`"}`)
	if err != nil || result != "{}" {
		h.t.Errorf("%s %s: %s, %v", method, uri, result, err)
	}
}

// unwatch makes the server stop watching these resources, from its next subscription on.
func (h *shared) unwatch(uris ...string) {
	h.t.Helper()
	if err := os.WriteFile(h.script.Unwatched, []byte(strings.Join(uris, "\n")), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// notify makes the server send a notification.
func (h *shared) notify(method, params string) {
	h.t.Helper()
	if _, err := call(h.t.Context(), h.b, "tools/call", `{"name":"notify","arguments":{"method":"`+method+`","params":`+params+`}}`); err != nil {
		h.t.Fatal(err)
	}
}

// wantNothingKept checks that nothing is left of ended subscriptions.
func (h *shared) wantNothingKept(c *connection) {
	h.t.Helper()
	h.d.await(h.t, "without subscriptions", func() bool { return len(c.holders) == 0 })
}

// The server hears only of the first subscriber and of the end of the last.
func TestSubscriptionsAreCounted(t *testing.T) {
	h := share(t)
	h.do(h.a, wire.MethodSubscribe, "x:1")
	h.do(h.a, wire.MethodSubscribe, "x:1")
	h.do(h.b, wire.MethodSubscribe, "x:1")
	h.do(h.b, wire.MethodSubscribe, "x:2")
	h.wantGot("+x:1", "+x:2")
	h.do(h.a, wire.MethodUnsubscribe, "x:2") // it is b's
	h.do(h.a, wire.MethodUnsubscribe, "x:1")
	h.wantGot("+x:1", "+x:2")
	h.do(h.b, wire.MethodUnsubscribe, "x:1")
	h.do(h.b, wire.MethodUnsubscribe, "x:2")
	h.do(h.b, wire.MethodUnsubscribe, "x:3") // nobody's: the server decides
	h.wantGot("+x:1", "+x:2", "-x:1", "-x:2", "-x:3")
	h.wantNothingKept(h.a.(*editor).connection("fake"))
	if _, err := call(t.Context(), h.a, wire.MethodSubscribe, `{"uri":"x:`+strings.Repeat("y", maxSubscribedURI)+`"}`); kindOf(err) != editorapi.KindInvalidParams {
		t.Errorf("a long URI: %v", err)
	}
	h.wantNothingKept(h.a.(*editor).connection("fake"))
}

// kindOf returns the kind of one of the daemon's own errors.
func kindOf(err error) editorapi.Kind {
	if e, ok := errors.AsType[*editorapi.Error](err); ok {
		return e.Kind
	}
	return ""
}

// An update goes to those who subscribed to the resource or to one above it, and says which of
// their subscriptions it is for.
func TestUpdatesGoToSubscribers(t *testing.T) {
	h := share(t)
	for _, uri := range []string{"x://h/dir/one", "x://h/dir", "x://h/di", "x://h/end/"} {
		h.do(h.a, wire.MethodSubscribe, uri)
	}
	h.do(h.b, wire.MethodSubscribe, "x://h/other")
	h.do(h.b, wire.MethodSubscribe, "x://h/dir/one")
	updated := func(uri, subscribed string) string {
		return wire.MethodUpdated + ` {"uri":"` + uri + `","x":1} ` + subscribed
	}
	for _, uri := range []string{"x://h/dir", "x://h/dir/one", "x://h/dir/one/two", "x://h/directory", "x://h/other#part", "x://h/other?q", "x://h/end/x", "x://h/end"} {
		h.notify(wire.MethodUpdated, `{"uri":"`+uri+`","x":1}`)
	}
	h.notify("notifications/last", `{}`)
	const last = "notifications/last {}"
	if got, want := h.as.awaitRelayed(t, last), []string{
		updated("x://h/dir", "[x://h/dir]"), updated("x://h/dir/one", "[x://h/dir x://h/dir/one]"),
		updated("x://h/dir/one/two", "[x://h/dir x://h/dir/one]"), updated("x://h/end/x", "[x://h/end/]"), last,
	}; !slices.Equal(got, want) {
		t.Errorf("a heard %q, want %q", got, want)
	}
	if got, want := h.bs.awaitRelayed(t, last), []string{
		updated("x://h/dir/one", "[x://h/dir/one]"), updated("x://h/dir/one/two", "[x://h/dir/one]"), updated("x://h/other#part", "[x://h/other]"), updated("x://h/other?q", "[x://h/other]"), last,
	}; !slices.Equal(got, want) {
		t.Errorf("b heard %q, want %q", got, want)
	}
}

// An editor that leaves the connection, in whatever way, is unsubscribed.
func TestLeavingUnsubscribes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave func(h *shared)
	}{
		{"it goes away", func(h *shared) { h.a.Close() }},
		{"it changes its folders", func(h *shared) {
			h.a.ChangeFolders(opened(h.t.TempDir()))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := share(t)
			c := h.b.(*editor).connection("fake")
			h.do(h.a, wire.MethodSubscribe, "x:mine")
			h.do(h.a, wire.MethodSubscribe, "x:ours")
			h.do(h.b, wire.MethodSubscribe, "x:ours")
			tt.leave(h)
			h.d.await(t, "unsubscribed", func() bool { return slices.Contains(h.got(), "-x:mine") })
			h.do(h.b, wire.MethodUnsubscribe, "x:ours")
			h.wantGot("+x:mine", "+x:ours", "-x:mine", "-x:ours")
			h.wantNothingKept(c)
		})
	}
}

// An editor that leaves while the server answers has not subscribed.
func TestLeavingWhileSubscribing(t *testing.T) {
	h := share(t, `{"do":"ask_elicitation","params":{"message":"wait"}}`) // and answers when that is over
	asked, release := make(chan struct{}), make(chan struct{})
	h.as.answer = func(context.Context, string, editorapi.Question) (json.RawMessage, error) {
		close(asked)
		<-release
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	c := h.a.(*editor).connection("fake")
	outcome := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), h.a, wire.MethodSubscribe, `{"uri":"x:1"}`)
		outcome <- err
	}()
	<-asked
	h.a.Close()
	close(release)
	if err := <-outcome; kindOf(err) != editorapi.KindServerGone {
		t.Errorf("the subscription came to %v", err)
	}
	h.d.await(t, "unsubscribed", func() bool { return slices.Contains(h.got(), "-x:1") })
	h.wantGot("+x:1", "-x:1")
	h.wantNothingKept(c)
}

// An editor that subscribed before somebody stopped the server hears of updates when it runs again, unless it has unsubscribed
// meanwhile.
func TestSubscriptionsOutliveAStop(t *testing.T) {
	h := share(t)
	h.do(h.a, wire.MethodSubscribe, "x:1")
	h.do(h.a, wire.MethodSubscribe, "x:2")
	does(t, h.b.StopServer("fake"))
	h.do(h.a, wire.MethodUnsubscribe, "x:1")
	does(t, h.b.StartServer("fake"))
	h.do(h.a, wire.MethodSubscribe, "x:3") // comes after whatever is restored
	h.wantGot("+x:1", "+x:2", "+x:2", "+x:3")
	h.notify(wire.MethodUpdated, `{"uri":"x:2"}`)
	h.as.awaitRelayed(t, wire.MethodUpdated+` {"uri":"x:2"} [x:2]`)
}

// Fault subscription-lost: a subscription that the server does not take up again, after a restart or on a new
// stream, has ended: its subscribers are told, and the next subscription asks the server.
func TestSubscriptionEnds(t *testing.T) {
	legacy, modern := fakeserver.Script{}, fakeserver.Script{ProtocolVersions: []string{"2026-07-28"}}
	restart := func(h *shared) error {
		_, err := h.a.RestartServer("fake")(h.t.Context())
		return err
	}
	for _, tt := range []struct {
		name   string
		script fakeserver.Script
		again  func(h *shared) error
		reason string
	}{
		{"restart at 2025-11-25", legacy, restart, "the server did not accept it again: no such resource: x:1"},
		{"restart at 2026-07-28", modern, restart, "the server no longer tells of its changes"},
		{"the stream has ended", modern, func(h *shared) error {
			_, err := call(h.t.Context(), h.a, "tools/call", `{"name":"end_listen"}`)
			return err
		}, "the server no longer tells of its changes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := shareScript(t, tt.script)
			h.do(h.a, wire.MethodSubscribe, "x:1")
			h.do(h.b, wire.MethodSubscribe, "x:1")
			h.do(h.a, wire.MethodSubscribe, "x:2")
			h.unwatch("x:1")
			if err := tt.again(h); err != nil {
				t.Fatal(err)
			}
			for _, s := range []*screen{h.as, h.bs} {
				s.until(t, "ended", func() bool { return slices.Contains(s.news, "fake ended x:1: "+tt.reason) })
			}
			if _, err := call(t.Context(), h.b, wire.MethodSubscribe, `{"uri":"x:1"}`); err == nil {
				t.Error("what the server does not watch can be subscribed to")
			}
			h.unwatch()
			h.do(h.b, wire.MethodSubscribe, "x:1")
			h.notify(wire.MethodUpdated, `{"uri":"x:1"}`)
			h.notify(wire.MethodUpdated, `{"uri":"x:2"}`)
			strip := func(relayed []string) (uris []string) {
				for _, r := range relayed {
					uris = append(uris, strings.Trim(r[strings.LastIndex(r, " ")+1:], "[]"))
				}
				return uris
			}
			var as, bs []string
			h.bs.until(t, "x:1", func() bool { bs = strip(h.bs.relayed); return slices.Contains(bs, "x:1") })
			h.as.until(t, "x:2", func() bool { as = strip(h.as.relayed); return slices.Contains(as, "x:2") })
			if !slices.Equal(as, []string{"x:2"}) || !slices.Equal(bs, []string{"x:1"}) {
				t.Errorf("a heard of %q, b of %q", as, bs)
			}
			h.as.mu.Lock()
			defer h.as.mu.Unlock()
			if n := strings.Count(strings.Join(h.as.news, "\n"), " ended "); n != 1 {
				t.Errorf("a was told %d times: %q", n, h.as.news)
			}
		})
	}
}

// An editor that subscribes anew is answered after it is told of the end of its last subscription.
func TestSubscribeAfterTheEndWasTold(t *testing.T) {
	h := share(t)
	h.do(h.a, wire.MethodSubscribe, "x:1")
	waits, all := slow(h.as)
	h.a.(*editor).connection("fake").SubscriptionEnded("x:1", "it is gone")
	<-waits
	answered := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), h.a, wire.MethodSubscribe, `{"uri":"x:1"}`)
		h.as.mu.Lock()
		defer h.as.mu.Unlock()
		if !slices.Contains(h.as.news, "fake ended x:1: it is gone") {
			t.Errorf("answered when the editor had been told %q", h.as.news)
		}
		answered <- err
	}()
	all()
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

func TestSubscriptionsAreBounded(t *testing.T) {
	h := share(t)
	c := h.a.(*editor).connection("fake")
	h.do(h.a, wire.MethodSubscribe, "x:1")
	h.d.mu.Lock()
	for i := range maxSubscriptions - 1 {
		c.holders[fmt.Sprint("y:", i)] = []*editor{h.b.(*editor)}
	}
	h.d.mu.Unlock()
	if _, err := call(t.Context(), h.b, wire.MethodSubscribe, `{"uri":"x:2"}`); kindOf(err) != editorapi.KindInvalidParams {
		t.Errorf("one more: %v", err)
	}
	h.do(h.b, wire.MethodSubscribe, "x:1") // one that exists
	h.do(h.b, wire.MethodUnsubscribe, "x:3")
	h.wantGot("+x:1", "-x:3")
}
