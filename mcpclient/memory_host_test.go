package mcpclient

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// memHost is a Host that notes what it is told.
type memHost struct {
	request func(ctx context.Context, method string, params json.RawMessage, owners []Owner) (json.RawMessage, error)

	grew atomic.Int64 // how often the log has

	mu            sync.Mutex
	statuses      []Status
	notifications []string
	catalogs      [][]ListKind
	ended         []string // "uri: reason" of subscriptions
}

func (h *memHost) Request(ctx context.Context, ask Ask) (json.RawMessage, error) {
	if h.request == nil {
		return json.RawMessage(`{"roots":[]}`), nil
	}
	return h.request(ctx, ask.Method, ask.Params, ask.Owners)
}

func (h *memHost) Notification(method string, params json.RawMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notifications = append(h.notifications, method+" "+string(params))
}

func (h *memHost) StatusChanged(s Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.statuses = append(h.statuses, s)
}

func (h *memHost) CatalogChanged(kinds []ListKind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.catalogs = append(h.catalogs, kinds)
}

func (h *memHost) SubscriptionEnded(uri, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = append(h.ended, uri+": "+reason)
}

func (h *memHost) LogGrew() { h.grew.Add(1) }

// LogLines returns the last n lines of the server's log.
func (c *Client) LogLines(n int) []string { return lineTexts(c.log.lines.Last(n)) }

func lineTexts(lines []LogLine) []string {
	texts := []string{}
	for _, line := range lines {
		texts = append(texts, line.String())
	}
	return texts
}

// subscriptionsEnded returns the ends of subscriptions that were told since the last call.
func (h *memHost) subscriptionsEnded() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := h.ended
	h.ended = nil
	return told
}

// all returns every status that was told.
func (h *memHost) all() []Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.statuses)
}

// states returns the states that were told; equal ones in a row count as one.
func (h *memHost) states() []State {
	var states []State
	for _, s := range h.all() {
		states = append(states, s.State)
	}
	return slices.Compact(states)
}

func (h *memHost) told() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.notifications)
}

func (h *memHost) changes() [][]ListKind {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.catalogs)
}

// bubble runs a test of a table in a bubble of its own.
func bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// newMemClient returns a Client of m that ends with the test.
func newMemClient(t testing.TB, m *memServer, h *memHost, change func(o *Options)) *Client {
	o := Options{Name: "mem", Dialer: m, Host: h, ClientInfo: json.RawMessage(`{"name":"test","version":"0"}`)}
	if change != nil {
		change(&o)
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// next returns a channel that is closed with the next change of the status.
func (c *Client) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// startMem returns a ready Client, and the server's end of its wire.
func startMem(t testing.TB, m *memServer, h *memHost, change func(o *Options)) (*Client, *memWire) {
	t.Helper()
	c := newMemClient(t, m, h, change)
	if err := c.Start().Wait(t.Context()); err != nil {
		t.Fatalf("Start: %v", err)
	}
	return c, <-m.wires
}

// outcome of a Call made with goCall.
type memResult struct {
	result json.RawMessage
	err    error
}

// goCall makes a call in the background.
func goCall(ctx context.Context, c *Client, call Call) <-chan memResult {
	done := make(chan memResult, 1)
	go func() {
		result, err := c.Call(ctx, call)
		done <- memResult{result, err}
	}()
	return done
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

// idOf returns the id of a request as the server writes it back.
func idOf(r *wire.Request) string { return string(rawjson.Get(encoded(r), "id")) }

func encoded(m wire.Message) []byte {
	b, err := wire.Encode(m)
	if err != nil {
		panic(err)
	}
	return b
}
