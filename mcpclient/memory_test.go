package mcpclient

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// memWire is a Wire in memory: one life of a server that a test plays.
type memWire struct {
	server *memServer
	in     chan wire.Message // to the client
	asked  chan wire.Message // from the client, what the memServer has no answer for
	over   chan struct{}     // closed at the end
	stuck  chan struct{}     // Close waits for it unless killed; nil: it does not
	killed chan struct{}

	streamable bool // it plays Streamable HTTP

	mu     sync.Mutex
	reason error // set when over is closed
	unfed  bool  // the server has closed its input
}

// Read first returns what was on the wire before its end.
func (w *memWire) Read() (wire.Message, error) {
	select {
	case m := <-w.in:
		return m, nil
	default:
	}
	select {
	case m := <-w.in:
		return m, nil
	case <-w.over:
		return nil, w.reason
	}
}

func (w *memWire) Write(ctx context.Context, m wire.Message) error {
	w.mu.Lock()
	closed := w.reason != nil || w.unfed
	w.mu.Unlock()
	if closed {
		return io.ErrClosedPipe
	}
	if r, ok := m.(*wire.Request); ok && w.server.handle(w, r) {
		return nil
	}
	select {
	case w.asked <- m:
		return nil
	case <-w.over:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *memWire) Ready() bool { return false }

// TryWrite implements [wire.Wire]: all of it waits.
func (w *memWire) TryWrite(...wire.Message) bool { return false }

func (w *memWire) Close() error {
	w.end(io.EOF)
	if w.stuck != nil {
		select {
		case <-w.stuck:
		case <-w.killed:
		}
	}
	return nil
}

func (w *memWire) Kill() {
	w.end(io.EOF)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.wasKilled() {
		close(w.killed)
	}
}

func (w *memWire) wasKilled() bool {
	select {
	case <-w.killed:
		return true
	default:
		return false
	}
}

// end ends the wire as the server's death does.
func (w *memWire) end(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reason == nil {
		w.reason = reason
		close(w.over)
	}
}

func (w *memWire) PID() int         { return 42 }
func (w *memWire) Streamable() bool { return w.streamable }

// exit ends the wire as the exit of the server does.
func (w *memWire) exit() { w.end(wire.Errorf(wire.KindExit, "", "it exited")) }

// say sends a message of the server.
func (w *memWire) say(t testing.TB, message string) {
	t.Helper()
	m, err := wire.Decode([]byte(message))
	if err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	w.in <- m
}

// request returns the next message of the client as a request or notification.
func (w *memWire) request(t testing.TB, method string) *wire.Request {
	t.Helper()
	r, ok := (<-w.asked).(*wire.Request)
	if !ok || r.Method != method {
		t.Fatalf("the client sent %+v, want %s", r, method)
	}
	return r
}

// response returns the next message of the client as a response, in JSON.
func (w *memWire) response(t testing.TB) string {
	t.Helper()
	r, ok := (<-w.asked).(*wire.Response)
	if !ok {
		t.Fatal("the client sent no response")
	}
	return strings.TrimSpace(string(encoded(r)))
}

// reply answers a request of the client.
func (w *memWire) reply(r *wire.Request, result string) {
	w.in <- &wire.Response{ID: r.ID, Result: json.RawMessage(result)}
}

// fail answers a request of the client with a [wire.Error] of the wire.
func (w *memWire) fail(r *wire.Request, err *wire.Error) {
	w.in <- &wire.Response{ID: r.ID, Error: err}
}

// refuse answers a request of the client with the object of an error.
func (w *memWire) refuse(r *wire.Request, object string) {
	w.in <- memResponse(r.ID, memError+object)
}

// acknowledge acknowledges a subscriptions/listen with this filter.
func (w *memWire) acknowledge(r *wire.Request, filter string) {
	params := rawjson.SetPath(nil, []byte(idOf(r)), "_meta", wire.MetaSubscriptionID)
	params = rawjson.Set(params, "notifications", []byte(filter))
	w.in <- &wire.Request{Method: wire.MethodAcknowledged, Params: params}
}

// quiet fails the test when the client has sent something, or has something to send.
func (w *memWire) quiet(t testing.TB) {
	t.Helper()
	synctest.Wait()
	select {
	case m := <-w.asked:
		t.Errorf("the client sent %+v", m)
	default:
	}
}

// memServer is a Dialer. Each dial returns a memWire that answers by itself what is in
// answers and leaves the rest to the test.
type memServer struct {
	wires      chan *memWire // each new one
	streamable bool          // its wires play Streamable HTTP

	mu      sync.Mutex
	takes   map[string]func(w *memWire, r *wire.Request) // what handles requests, by method; not called with mu held
	prepare func(w *memWire, log wire.LogSink)           // called in Dial; may be nil
	refuse  error                                        // of Dial
	dials   []time.Time
	asked   []*wire.Request // requests and notifications of all lives
}

// toolsChanged is what a server says when it offers other tools.
const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

const memInitialize = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"mem","version":"1"},"instructions":"be kind"}`

func newMemServer() *memServer {
	m := &memServer{wires: make(chan *memWire, 100), takes: map[string]func(*memWire, *wire.Request){}}
	m.answer("initialize", memInitialize)
	m.answer("notifications/initialized", "")
	m.answer("tools/list", `{"tools":[{"name":"a"}]}`)
	m.answer("ping", `{}`)
	m.answer("server/discover", memError+`{"code":-32601,"message":"method not found"}`)
	return m
}

const memDiscover = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"logging":{},"resources":{"subscribe":true}},"instructions":"be kind","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mem","version":"2"}},"ttlMs":0,"cacheScope":"public"}`

// newModernServer returns a server of the modern era only. It agrees to every
// subscription.
func newModernServer() *memServer {
	m := newMemServer()
	m.answer("initialize", memError+`{"code":-32601,"message":"no such method"}`)
	m.answer("server/discover", memDiscover)
	m.answer("tools/list", `{"resultType":"complete","tools":[{"name":"a"}],"ttlMs":3600000,"cacheScope":"public"}`)
	for _, kind := range []wire.ListKind{wire.ListPrompts, wire.ListResources, wire.ListResourceTemplates} {
		m.answer(kind.Method(), `{"resultType":"complete","`+string(kind)+`":[],"ttlMs":3600000,"cacheScope":"public"}`)
	}
	m.take("subscriptions/listen", func(w *memWire, r *wire.Request) {
		w.acknowledge(r, string(rawjson.Get(r.Params, "notifications")))
	})
	m.answer("notifications/cancelled", "")
	return m
}

// memError begins an answer that is the object of an error.
const memError = "error "

func memResponse(id wire.ID, answer string) *wire.Response {
	object, failed := strings.CutPrefix(answer, memError)
	if !failed {
		return &wire.Response{ID: id, Result: json.RawMessage(answer)}
	}
	m, err := wire.Decode([]byte(`{"jsonrpc":"2.0","id":` + id.String() + `,"error":` + object + `}`))
	if err != nil {
		panic(err)
	}
	return m.(*wire.Response)
}

// answer has requests of this method answered with result.
func (m *memServer) answer(method, result string) {
	m.answerBy(method, func(json.RawMessage) string { return result })
}

func (m *memServer) answerBy(method string, f func(params json.RawMessage) string) {
	m.take(method, func(w *memWire, r *wire.Request) {
		if r.IsCall() {
			w.in <- memResponse(r.ID, f(r.Params))
		}
	})
}

// take has f handle requests and notifications of this method.
func (m *memServer) take(method string, f func(w *memWire, r *wire.Request)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.takes[method] = f
}

// leave leaves requests of this method to the test.
func (m *memServer) leave(method string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.takes, method)
}

// handle notes a message of the client, and reports whether it was handled.
func (m *memServer) handle(w *memWire, r *wire.Request) bool {
	m.mu.Lock()
	m.asked = append(m.asked, r)
	take := m.takes[r.Method]
	m.mu.Unlock()
	if take != nil {
		take(w, r)
	}
	return take != nil
}

// times returns how often the client has asked for method.
func (m *memServer) times(method string) int { return len(m.requests(method)) }

// requests returns what the client has sent, of these methods or of all.
func (m *memServer) requests(methods ...string) []*wire.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	var requests []*wire.Request
	for _, r := range m.asked {
		if len(methods) == 0 || slices.Contains(methods, r.Method) {
			requests = append(requests, r)
		}
	}
	return requests
}

// methods returns the methods of what the client has sent.
func (m *memServer) methods() []string {
	var methods []string
	for _, r := range m.requests() {
		methods = append(methods, r.Method)
	}
	return methods
}

func (m *memServer) dialed() []time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.dials)
}

func (m *memServer) Dial(_ context.Context, log wire.LogSink) (wire.Wire, error) {
	w := &memWire{
		server: m, in: make(chan wire.Message, 4096), asked: make(chan wire.Message, 4096),
		over: make(chan struct{}), killed: make(chan struct{}), streamable: m.streamable,
	}
	m.mu.Lock()
	m.dials = append(m.dials, time.Now())
	prepare, refuse := m.prepare, m.refuse
	m.mu.Unlock()
	if refuse != nil {
		return nil, refuse
	}
	if prepare != nil {
		prepare(w, log)
	}
	m.wires <- w
	return w, nil
}
