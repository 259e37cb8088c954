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
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// canElicit is what editors declare whose subscriptions the server holds up by a question.
var canElicit = editorapi.Capabilities{MCP: true, Elicitation: json.RawMessage(`{}`)}

// shared is a server that two editors share, and what reaches it.
type shared struct {
	t      *testing.T
	d      *Daemon
	folder string
	script fakeserver.Script
	a, b   editorapi.Attachment
	as, bs *screen
}

// share attaches two editors to one server, which does some steps for each resources/subscribe.
func share(t *testing.T, steps ...string) *shared {
	t.Helper()
	h := &shared{t: t, as: newScreen(), bs: newScreen()}
	h.d, h.folder = newTestDaemon(t, time.Hour)
	h.script = fakeserver.Script{Plain: true, Record: filepath.Join(t.TempDir(), "record"), Steps: map[string][]json.RawMessage{}}
	for _, step := range steps {
		h.script.Steps[methodSubscribe] = append(h.script.Steps[methodSubscribe], json.RawMessage(step))
	}
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
		case methodSubscribe:
			list = append(list, "+"+uri)
		case methodUnsubscribe:
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

// connection returns the one that an editor is on.
func (h *shared) connection(a editorapi.Attachment) *connection {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	return a.(*editor).on["fake"]
}

// awaitUsers waits until so many have or want the turn of a resource.
func (h *shared) awaitUsers(c *connection, uri string, n int) {
	h.t.Helper()
	h.d.await(h.t, fmt.Sprintf("%d users of %s", n, uri), func() bool {
		h.d.mu.Lock()
		defer h.d.mu.Unlock()
		s := c.subscriptions[uri]
		return s != nil && s.users == n
	})
}

// wantNothingKept checks that nothing is remembered of subscriptions that are no more.
func (h *shared) wantNothingKept(c *connection) {
	h.t.Helper()
	h.d.await(h.t, "without subscriptions", func() bool {
		h.d.mu.Lock()
		defer h.d.mu.Unlock()
		return len(c.subscriptions) == 0
	})
}

// The server hears of the first subscriber and of the end of the last.
func TestSubscriptionsAreCounted(t *testing.T) {
	h := share(t)
	h.do(h.a, methodSubscribe, "x:1")
	h.do(h.a, methodSubscribe, "x:1")
	h.do(h.b, methodSubscribe, "x:1")
	h.do(h.b, methodSubscribe, "x:2")
	h.wantGot("+x:1", "+x:2")
	h.do(h.a, methodUnsubscribe, "x:2") // it is b's
	h.do(h.a, methodUnsubscribe, "x:1")
	h.wantGot("+x:1", "+x:2")
	h.do(h.b, methodUnsubscribe, "x:1")
	h.do(h.b, methodUnsubscribe, "x:2")
	h.do(h.b, methodUnsubscribe, "x:3") // nobody's: for the server to judge
	h.wantGot("+x:1", "+x:2", "-x:1", "-x:2", "-x:3")
	h.wantNothingKept(h.connection(h.a))
	if _, err := call(t.Context(), h.a, methodSubscribe, `{"uri":`+string(rawjson.Quote("x:"+strings.Repeat("y", maxSubscribedURI)))+`}`); kindOf(err) != editorapi.KindInvalidParams {
		t.Errorf("a long URI: %v", err)
	}
	h.wantNothingKept(h.connection(h.a))
}

// kindOf returns the kind of an error of the daemon's own.
func kindOf(err error) editorapi.Kind {
	if e, ok := errors.AsType[*editorapi.Error](err); ok {
		return e.Kind
	}
	return ""
}

// An update goes to those who subscribed to the resource or to one above it.
func TestUpdatesGoToSubscribers(t *testing.T) {
	h := share(t)
	h.do(h.a, methodSubscribe, "x://h/dir")
	h.do(h.a, methodSubscribe, "x://h/dir/one")
	h.do(h.b, methodSubscribe, "x://h/other")
	updated := func(uri string) string { return methodUpdated + ` {"uri":"` + uri + `","x":1}` }
	for _, uri := range []string{"x://h/dir", "x://h/dir/one", "x://h/directory", "x://h/other#part", "x://h/nobody"} {
		if _, err := call(t.Context(), h.a, "tools/call", `{"name":"notify","arguments":{"method":"`+methodUpdated+`","params":{"uri":"`+uri+`","x":1}}}`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := call(t.Context(), h.a, "tools/call", `{"name":"notify","arguments":{"method":"notifications/last","params":{}}}`); err != nil {
		t.Fatal(err)
	}
	last := "notifications/last {}"
	if got, want := h.as.awaitRelayed(t, last), []string{updated("x://h/dir"), updated("x://h/dir/one"), last}; !slices.Equal(got, want) {
		t.Errorf("a heard %q, want %q", got, want)
	}
	if got, want := h.bs.awaitRelayed(t, last), []string{updated("x://h/other#part"), last}; !slices.Equal(got, want) {
		t.Errorf("b heard %q, want %q", got, want)
	}
}

// The first update may come before the answer to the subscription.
func TestUpdateBeforeTheAnswer(t *testing.T) {
	h := share(t, `{"do":"notify","method":"`+methodUpdated+`","params":{"uri":"x:1"}}`)
	h.do(h.a, methodSubscribe, "x:1")
	h.as.awaitRelayed(t, methodUpdated+` {"uri":"x:1"}`)
}

func TestIsWithin(t *testing.T) {
	for _, tt := range []struct {
		uri, of string
		want    bool
	}{
		{"x://h/a", "x://h/a", true},
		{"x://h/a/b", "x://h/a", true},
		{"x://h/a/b", "x://h/a/", true},
		{"x://h/a?q", "x://h/a", true},
		{"x://h/a#f", "x://h/a", true},
		{"x://h/ab", "x://h/a", false},
		{"x://h/a", "x://h/a/", false},
		{"x://h/a", "x://h/a/b", false},
		{"x://h", "x://", true},
		{"", "x://h/a", false},
	} {
		if got := isWithin(tt.uri, tt.of); got != tt.want {
			t.Errorf("isWithin(%q, %q) is %v", tt.uri, tt.of, got)
		}
	}
}

// An editor that leaves the connection, in whichever way, has unsubscribed.
func TestLeavingUnsubscribes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave func(h *shared)
	}{
		{"it goes away", func(h *shared) { h.a.Close() }},
		{"it changes its folders", func(h *shared) {
			h.a.ChangeFolders([]editorapi.Folder{{URI: fileuri.FromPath(h.t.TempDir())}})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := share(t)
			c := h.connection(h.b)
			h.do(h.a, methodSubscribe, "x:mine")
			h.do(h.a, methodSubscribe, "x:ours")
			h.do(h.b, methodSubscribe, "x:ours")
			tt.leave(h)
			h.d.await(t, "unsubscribed", func() bool { return slices.Contains(h.got(), "-x:mine") })
			h.do(h.b, methodUnsubscribe, "x:ours")
			h.wantGot("+x:mine", "+x:ours", "-x:mine", "-x:ours")
			h.wantNothingKept(c)
		})
	}
}

// A subscription that the server refuses leaves nothing, and the next one asks it again.
func TestFailedSubscriptionLeavesNothing(t *testing.T) {
	h := share(t, `{"do":"refuse","code":-32002,"message":"no such resource"}`)
	for _, a := range []editorapi.Attachment{h.a, h.b} {
		if _, err := call(t.Context(), a, methodSubscribe, `{"uri":"x:1"}`); err == nil || !strings.Contains(err.Error(), "no such resource") {
			t.Errorf("the error is %v", err)
		}
		h.wantNothingKept(h.connection(a))
	}
	h.wantGot("+x:1", "+x:1")
}

// heldUp is a step that lasts until an editor has answered.
const heldUp = `{"do":"ask_elicitation","params":{"message":"wait"}}`

// holdUp lets the answers of an editor wait, and tells of each question.
func holdUp(s *screen) (asked, release chan struct{}) {
	asked, release = make(chan struct{}, 10), make(chan struct{})
	s.answer = func(ctx context.Context, _ string, _ editorapi.Question) (json.RawMessage, error) {
		asked <- struct{}{}
		select {
		case <-release:
			return json.RawMessage(`{"action":"decline"}`), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return asked, release
}

// Requests about one resource wait for each other, and only for each other.
func TestSubscriptionsTakeTurns(t *testing.T) {
	h := share(t, heldUp)
	asked, release := holdUp(h.as)
	h.bs.answer = h.as.answer
	c := h.connection(h.a)
	outcome := make(chan error, 2)
	subscribe := func(ctx context.Context, a editorapi.Attachment) {
		_, err := call(ctx, a, methodSubscribe, `{"uri":"x:1"}`)
		outcome <- err
	}
	go subscribe(t.Context(), h.a)
	<-asked
	impatient, cancel := context.WithCancel(t.Context())
	go subscribe(impatient, h.b)
	h.awaitUsers(c, "x:1", 2)
	cancel()
	if err := <-outcome; kindOf(err) != editorapi.KindCancelled {
		t.Errorf("who lost patience got %v", err)
	}
	go subscribe(t.Context(), h.b)
	h.awaitUsers(c, "x:1", 2)
	h.do(h.b, methodUnsubscribe, "x:2") // meanwhile, about another resource
	close(release)
	for range 2 {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	h.do(h.a, methodUnsubscribe, "x:1")
	h.wantGot("+x:1", "-x:2")
}

// An editor that goes while the server answers has not subscribed.
func TestLeavingWhileSubscribing(t *testing.T) {
	h := share(t, heldUp)
	asked, release := holdUp(h.as)
	c := h.connection(h.a)
	outcome := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), h.a, methodSubscribe, `{"uri":"x:1"}`)
		outcome <- err
	}()
	<-asked
	h.a.Close()
	close(release)
	if err := <-outcome; kindOf(err) != editorapi.KindServerGone {
		t.Errorf("the subscription came to %v", err)
	}
	h.wantGot("+x:1", "-x:1")
	h.wantNothingKept(c)
}

// Who subscribed before a person stopped the server hears of updates when it runs again.
func TestSubscriptionsOutliveAStop(t *testing.T) {
	h := share(t)
	h.do(h.a, methodSubscribe, "x:1")
	if _, err := h.b.StopServer("fake")(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, err := h.b.StartServer("fake")(t.Context()); err != nil || v.State != "ready" {
		t.Fatalf("after the start it is %s, %v", v.State, err)
	}
	if _, err := call(t.Context(), h.b, "tools/call", `{"name":"notify","arguments":{"method":"`+methodUpdated+`","params":{"uri":"x:1"}}}`); err != nil {
		t.Fatal(err)
	}
	h.as.awaitRelayed(t, methodUpdated+` {"uri":"x:1"}`)
}

func TestSubscriptionsAreBounded(t *testing.T) {
	h := share(t)
	c := h.connection(h.a)
	h.do(h.a, methodSubscribe, "x:1")
	h.d.mu.Lock()
	for i := range maxSubscriptions - 1 {
		c.subscriptions[fmt.Sprint("y:", i)] = &subscription{asked: true, turn: make(chan struct{}, 1)}
	}
	h.d.mu.Unlock()
	if _, err := call(t.Context(), h.b, methodSubscribe, `{"uri":"x:2"}`); kindOf(err) != editorapi.KindInvalidParams {
		t.Errorf("one more: %v", err)
	}
	h.do(h.b, methodSubscribe, "x:1") // one that is there
	h.do(h.b, methodUnsubscribe, "x:3")
	h.wantGot("+x:1", "-x:3")
}
