package streamable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

// memListener is a listener whose connections are in memory, so that a server can
// live in the bubble of synctest.
type memListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newMemListener() *memListener {
	return &memListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *memListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, errors.New("the listener is closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *memListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// asked is one HTTP request as a server has got it.
type asked struct {
	http   string // its HTTP method
	path   string
	method string // of the message
	id     string // of the message, raw
	body   string
	header http.Header
	at     time.Time
	ctx    context.Context // ends when the client lets go
}

// A handler answers one HTTP request.
type handler func(w http.ResponseWriter, q asked)

// testConn is a wire under test with its server.
type testConn struct {
	*conn
	t   *testing.T
	log *wiretest.Log

	mu    sync.Mutex
	seen  []asked
	dials int
}

// dialTest returns a wire to a server in memory. It is for the bubble of synctest,
// which also finds the goroutines that are left at its end.
func dialTest(t *testing.T, serve handler, change ...func(*Dialer, *limits)) *testConn {
	t.Helper()
	test := &testConn{t: t, log: wiretest.NewLog()}
	d := Dialer{URL: "http://server.test/mcp?key=secret", Header: http.Header{"authorization": {"Bearer secret"}}}
	limits := defaults
	for _, f := range change {
		f(&d, &limits)
	}
	listener := newMemListener()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		q := asked{
			http: r.Method, path: r.URL.Path, body: string(body), header: r.Header, at: time.Now(), ctx: r.Context(),
			method: rawjson.String(body, "method"), id: string(rawjson.Get(body, "id")),
		}
		test.mu.Lock()
		test.seen = append(test.seen, q)
		test.mu.Unlock()
		serve(w, q)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	d.limits = &limits
	test.dial(d)
	test.transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		test.mu.Lock()
		test.dials++
		test.mu.Unlock()
		return listener.dial(ctx, network, addr)
	}
	return test
}

// dialReal returns a wire to a server at a real address.
func dialReal(t *testing.T, d Dialer) *testConn {
	t.Helper()
	test := &testConn{t: t, log: wiretest.NewLog()}
	test.dial(d)
	return test
}

// dial makes the wire. It ends with the test.
func (w *testConn) dial(d Dialer) {
	w.t.Helper()
	made, err := d.Dial(w.t.Context(), w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	w.conn = made.(*conn)
	w.t.Cleanup(func() {
		made.Kill()
		_ = made.Close()
	})
}

// requests returns the HTTP requests with this HTTP method and message.
func (w *testConn) requests(httpMethod, method string) []asked {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []asked
	for _, q := range w.seen {
		if q.http == httpMethod && q.method == method {
			found = append(found, q)
		}
	}
	return found
}

// one returns the only HTTP request with this HTTP method and message.
func (w *testConn) one(httpMethod, method string) asked {
	w.t.Helper()
	found := w.requests(httpMethod, method)
	if len(found) != 1 {
		w.t.Fatalf("%d requests %s %s, want 1", len(found), httpMethod, method)
	}
	return found[0]
}

func rpcCall(id int64, method, params string) *wire.Request {
	return &wire.Request{ID: wire.NumberID(id), Method: method, Params: json.RawMessage(params)}
}

func (w *testConn) write(msg wire.Message) {
	w.t.Helper()
	if err := w.Write(w.t.Context(), msg); err != nil {
		w.t.Fatal(err)
	}
}

func (w *testConn) send(id int64, method, params string) {
	w.t.Helper()
	w.write(rpcCall(id, method, params))
}

func (w *testConn) notify(method, params string) {
	w.t.Helper()
	w.write(&wire.Request{Method: method, Params: json.RawMessage(params)})
}

// modernCall is the params of a request of 2026-07-28 with this member.
func modernCall(member string) string {
	return `{` + member + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
}

func (w *testConn) wantNext(want string) {
	w.t.Helper()
	msg, err := w.Read()
	if err != nil {
		w.t.Fatalf("%v; want %s", err, want)
	}
	if got := wiretest.Show(msg); got != want {
		w.t.Errorf("got %s, want %s", got, want)
	}
}

// wantError reads an answer that is an Error.
func (w *testConn) wantError(kind wire.Kind) *wire.Error {
	w.t.Helper()
	msg, err := w.Read()
	if err != nil {
		w.t.Fatalf("%v; want an answer of kind %s", err, kind)
	}
	var e *wire.Error
	if r, ok := msg.(*wire.Response); !ok || !errors.As(r.Error, &e) || e.Kind != kind {
		w.t.Fatalf("got %s, want kind %s", wiretest.Show(msg), kind)
	}
	w.wantNoSecret(e)
	return e
}

// wantEnd reads the final error, which must come again.
func (w *testConn) wantEnd(kind wire.Kind) *wire.Error {
	w.t.Helper()
	_, err := w.Read()
	var e *wire.Error
	if !errors.As(err, &e) || e.Kind != kind {
		w.t.Fatalf("got %v, want an end of kind %s", err, kind)
	}
	if _, again := w.Read(); again != err {
		w.t.Errorf("the next error is %v", again)
	}
	if err := w.Write(w.t.Context(), &wire.Request{Method: "x"}); err == nil {
		w.t.Error("Write goes on")
	}
	w.wantNoSecret(e)
	return e
}

// wantNoSecret looks that neither e nor the log has what the URL and the headers hold.
func (w *testConn) wantNoSecret(e *wire.Error) {
	w.t.Helper()
	if text := e.Message + e.Detail + strings.Join(w.log.Lines(), "\n"); strings.Contains(text, "secret") {
		w.t.Errorf("the secret is told: %s", text)
	}
}

// open does the handshake of a legacy server, which legacy serves.
func (w *testConn) open() {
	w.t.Helper()
	w.send(1, wire.MethodInitialize, `{}`)
	w.wantNext(`result 1 {"protocolVersion":"2025-11-25"}`)
	w.notify(wire.MethodInitialized, `{}`)
}

// inLegacy serves the handshake of 2025-11-25 with a session, and no standalone stream.
// All else goes to next.
func inLegacy(next handler) handler {
	return func(w http.ResponseWriter, q asked) {
		switch {
		case q.method == wire.MethodInitialize:
			w.Header().Set("Mcp-Session-Id", "s-1")
			reply(w, q, `"result":{"protocolVersion":"2025-11-25"}`)
		case q.method == wire.MethodInitialized:
			w.WriteHeader(http.StatusAccepted)
		case q.http == http.MethodDelete:
		default:
			next(w, q)
		}
	}
}

// noStream adds to legacy that there is no standalone stream.
func noStream(next handler) handler {
	return inLegacy(func(w http.ResponseWriter, q asked) {
		if q.http == http.MethodGet && q.header.Get("Last-Event-ID") == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		next(w, q)
	})
}

// reply answers with JSON. outcome is the member result or error.
func reply(w http.ResponseWriter, q asked, outcome string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, message(q, outcome))
}

func message(q asked, outcome string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, q.id, outcome)
}

// openStream answers with events, and leaves the stream open.
func openStream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range events {
		_, _ = io.WriteString(w, event+"\n\n")
	}
	_ = http.NewResponseController(w).Flush()
}

const aNotification = `data: {"jsonrpc":"2.0","method":"notifications/x","params":{}}`

// bubble runs f in a bubble of synctest.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}
