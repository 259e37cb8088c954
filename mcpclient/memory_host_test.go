package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// memHost is a Host that notes what it is told and asked.
type memHost struct {
	request func(ctx context.Context, ask Ask) (json.RawMessage, error) // answers; when nil, the answer names the method

	grew atomic.Int64 // how often the log has

	mu            sync.Mutex
	asks          []Ask
	statuses      []Status
	notifications []string
	catalogs      [][]wire.ListKind
	ended         []string // "uri: reason" of subscriptions
}

func (h *memHost) Request(ctx context.Context, ask Ask) (json.RawMessage, error) {
	add(h, &h.asks, ask)
	if h.request == nil {
		return json.RawMessage(`{"to":"` + ask.Method + `"}`), nil
	}
	return h.request(ctx, ask)
}

func (h *memHost) Notification(method string, params json.RawMessage) {
	add(h, &h.notifications, method+" "+string(params))
}

func (h *memHost) StatusChanged(s Status)               { add(h, &h.statuses, s) }
func (h *memHost) CatalogChanged(kinds []wire.ListKind) { add(h, &h.catalogs, kinds) }
func (h *memHost) SubscriptionEnded(uri, reason string) { add(h, &h.ended, uri+": "+reason) }

func (h *memHost) LogGrew() { h.grew.Add(1) }

// add adds v to what h notes.
func add[T any](h *memHost, to *[]T, v T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*to = append(*to, v)
}

// noted returns what h has noted.
func noted[T any](h *memHost, what *[]T) []T {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(*what)
}

// all returns every status that was told.
func (h *memHost) all() []Status { return noted(h, &h.statuses) }

func (h *memHost) told() []string { return noted(h, &h.notifications) }

func (h *memHost) changes() [][]wire.ListKind { return noted(h, &h.catalogs) }

// asked returns what the host was asked, with the commands behind it, sorted: inputs are asked for at the
// same time.
func (h *memHost) asked() (asked []string) {
	for _, a := range noted(h, &h.asks) {
		var names []string
		for _, o := range a.Owners {
			names = append(names, o.Command)
		}
		asked = append(asked, fmt.Sprintf("%s %s %v", a.Method, a.Params, names))
	}
	slices.Sort(asked)
	return asked
}

// wantEnded fails the test unless these ends of subscriptions, "uri: reason", were told since the last call.
func (h *memHost) wantEnded(t *testing.T, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.ended, want) {
		t.Errorf("told %q, want %q", h.ended, want)
	}
	h.ended = nil
}

// states returns the states that were told; equal ones in a row count as one.
func (h *memHost) states() []State {
	var states []State
	for _, s := range h.all() {
		states = append(states, s.State)
	}
	return slices.Compact(states)
}

func (h *memHost) wantStates(t *testing.T, want ...State) {
	t.Helper()
	if got := h.states(); !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
}

// LogLines returns the last n lines of the server's log.
func (c *Client) LogLines(n int) []string { return lineTexts(c.log.lines.Last(n)) }

func lineTexts(lines []LogLine) []string {
	texts := []string{}
	for _, line := range lines {
		texts = append(texts, line.String())
	}
	return texts
}

// logged reports whether the log of the server has a line with this part.
func logged(c *Client, part string) bool {
	return slices.ContainsFunc(c.LogLines(100), func(l string) bool { return strings.Contains(l, part) })
}

func wantLog(t *testing.T, c *Client, part string) {
	t.Helper()
	if !logged(c, part) {
		t.Errorf("the log is %q, want %q in it", c.LogLines(20), part)
	}
}

// wantState fails the test unless the server is in this state, for an error of this kind.
func wantState(t *testing.T, c *Client, state State, kind wire.Kind) {
	t.Helper()
	if s := c.Status(); s.State != state || (s.Err == nil) != (kind == "") || s.Err != nil && s.Err.Kind != kind {
		t.Errorf("status %+v, want %s %s", s, state, kind)
	}
}

// bubble runs a test of a table in a bubble of its own.
func bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// newMemClient returns a Client of m that ends with the test.
func newMemClient(t testing.TB, m *memServer, h Host, change func(o *Options)) *Client {
	o := Options{Name: "mem", Dialer: m, Host: h, ClientInfo: json.RawMessage(`{"name":"test","version":"0"}`), Log: zap.NewNop()}
	if change != nil {
		change(&o)
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// startMem returns a ready Client, and the server's end of its wire.
func startMem(t testing.TB, m *memServer, h Host, change func(o *Options)) (*Client, *memWire) {
	t.Helper()
	c := newMemClient(t, m, h, change)
	c.Start().must(t)
	return c, <-m.wires
}

// must fails the test unless the transition succeeds.
func (tr *Transition) must(t testing.TB) {
	t.Helper()
	if err := tr.Wait(t.Context()); err != nil {
		t.Fatalf("%s: %v", tr.doing, err)
	}
}

// next returns a channel that is closed with the next change of the status.
func (c *Client) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// outcome of a Call made with goCall.
type memResult struct {
	result json.RawMessage
	err    error
}

func (r memResult) ok(t *testing.T) {
	t.Helper()
	if r.err != nil {
		t.Error(r.err)
	}
}

func (r memResult) is(t *testing.T, want string) {
	t.Helper()
	if r.err != nil || string(r.result) != want {
		t.Errorf("got %s %v, want %s", r.result, r.err, want)
	}
}

// goCall makes a call in the background.
func goCall(ctx context.Context, c *Client, call Call) <-chan memResult {
	done := make(chan memResult, 1)
	go func() {
		result, err := c.call(ctx, call)
		done <- memResult{result, err}
	}()
	return done
}

// alone is the subscriber that nobody counts.
type alone struct{}

func (alone) Join() error { return nil }
func (alone) Leave() bool { return true }

// call makes a call, or subscribes for somebody who is alone.
func (c *Client) call(ctx context.Context, call Call) (json.RawMessage, error) {
	switch call.Method {
	case wire.MethodSubscribe:
		return c.Subscribe(ctx, call, alone{})
	case wire.MethodUnsubscribe:
		return c.Unsubscribe(ctx, call, alone{})
	default:
		return c.Call(ctx, call)
	}
}

// must makes a call that succeeds, and returns its result.
func (c *Client) must(t *testing.T, call Call) string {
	t.Helper()
	result, err := c.call(t.Context(), call)
	if err != nil {
		t.Errorf("%s: %v", call.Method, err)
	}
	return string(result)
}

// wantKind fails the test unless err is an Error of this kind, and returns it.
func wantKind(t testing.TB, err error, kind wire.Kind) *wire.Error {
	t.Helper()
	e, ok := err.(*wire.Error)
	if !ok || e.Kind != kind {
		t.Fatalf("got error %#v, want kind %s", err, kind)
	}
	return e
}

// wantTools fails the test unless this is the list of tools.
func wantTools(t *testing.T, c *Client, want string) {
	t.Helper()
	if got, err := c.List(t.Context(), wire.ListTools); err != nil || string(got) != want {
		t.Errorf("the tools are %.100s %v, want %s", got, err, want)
	}
}

// failure returns the error of a call.
func failure(_ json.RawMessage, err error) error { return err }

// idOf returns the id of a request as the server writes it back.
func idOf(r *wire.Request) string { return string(rawjson.Get(encoded(r), "id")) }

func encoded(m wire.Message) []byte {
	b, err := wire.Encode(m)
	if err != nil {
		panic(err)
	}
	return b
}
