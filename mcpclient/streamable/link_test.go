package streamable

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// sseServer serves HTTP+SSE: the answers to what is POSTed go to the stream, except
// for the method hang.
type sseServer struct {
	endpoint string
	events   chan string // to the stream, which ends when it is closed
}

func newSSEServer(endpoint string) *sseServer {
	return &sseServer{endpoint: endpoint, events: make(chan string)}
}

func (s *sseServer) serve(w http.ResponseWriter, q asked) {
	if q.http == http.MethodGet {
		openStream(w, "event: endpoint\ndata: "+s.endpoint)
		for {
			select {
			case event, ok := <-s.events:
				if !ok {
					return
				}
				openStream(w, event)
			case <-q.ctx.Done():
				return
			}
		}
	}
	w.WriteHeader(http.StatusAccepted)
	if q.id != "" && q.method != "hang" {
		select {
		case s.events <- "event: message\ndata: " + message(q, `"result":{"protocolVersion":"2024-11-05"}`):
		case <-q.ctx.Done():
		}
	}
}

// split sends what is POSTed to the URL that was configured to mcp, and all else to sse.
func split(mcp, sse handler) handler {
	return func(w http.ResponseWriter, q asked) {
		if q.http == http.MethodPost && q.path == "/mcp" {
			mcp(w, q)
			return
		}
		sse(w, q)
	}
}

func overSSE(d *Dialer, _ *limits) { d.SSE = true }

func TestSSE(t *testing.T) {
	for _, tt := range []struct {
		name, endpoint string
		change         []func(*Dialer, *limits)
		posts          int // of initialize
	}{
		{"configured", "/messages?session=1", []func(*Dialer, *limits){overSSE}, 1},
		{"at a full URL", "http://server.test/messages?session=1", []func(*Dialer, *limits){overSSE}, 1},
		{"found out", "/messages?session=1", nil, 2},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			s := newSSEServer(tt.endpoint)
			refuse := func(w http.ResponseWriter, q asked) { w.WriteHeader(http.StatusMethodNotAllowed) }
			w := dialTest(t, split(refuse, s.serve), tt.change...)
			w.send(1, wire.MethodInitialize, `{}`)
			w.wantNext(`result 1 {"protocolVersion":"2024-11-05"}`)
			w.notify(wire.MethodInitialized, `{}`)
			synctest.Wait()
			if w.Streamable() {
				t.Error("it is Streamable HTTP")
			}
			w.send(2, "hang", `{}`)
			synctest.Wait()
			w.notify(wire.MethodCancelled, `{"requestId":2}`)
			w.send(3, "tools/call", `{}`)
			w.wantNext(`result 3 {"protocolVersion":"2024-11-05"}`)
			s.events <- "data: noise"
			s.events <- "event: endpoint\ndata: /other"
			s.events <- aNotification
			w.wantNext("request null notifications/x {}")
			synctest.Wait()
			for _, method := range []string{wire.MethodInitialized, wire.MethodCancelled, "tools/call"} {
				if q := w.one(http.MethodPost, method); q.path != "/messages" || q.header.Get("Authorization") != "Bearer secret" {
					t.Errorf("%s went to %s with %v", method, q.path, q.header)
				}
			}
			if n := len(w.requests(http.MethodPost, wire.MethodInitialize)); n != tt.posts {
				t.Errorf("initialize was sent %d times", n)
			}
			if n := len(w.requests(http.MethodGet, "")); n != 1 {
				t.Errorf("%d streams were opened", n)
			}
			if noise, _ := w.log.Counted(); noise != 1 {
				t.Errorf("counted %d", noise)
			}
			close(s.events)
			w.wantEnd(wire.KindUnreachable)
		})
	}
}

func TestSSERefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve handler
		kind  wire.Kind
		part  string
	}{
		{"another origin", newSSEServer("https://evil.test/messages").serve, wire.KindUnreachable, "another server"},
		{"another port", newSSEServer("http://server.test:81/messages").serve, wire.KindUnreachable, "another server"},
		{"no URL", newSSEServer("http://%zz").serve, wire.KindUnreachable, "another server"},
		{"another first event", func(w http.ResponseWriter, q asked) { openStream(w, aNotification) }, wire.KindUnreachable, "not HTTP+SSE"},
		{"no event", func(w http.ResponseWriter, q asked) { openStream(w) }, wire.KindUnreachable, "not HTTP+SSE"},
		{"no first event in time", func(w http.ResponseWriter, q asked) { openStream(w); <-q.ctx.Done() }, wire.KindUnreachable, "has not sent"},
		{"no answer in time", func(w http.ResponseWriter, q asked) { <-q.ctx.Done() }, wire.KindUnreachable, "has not sent"},
		{"no stream", func(w http.ResponseWriter, q asked) {}, wire.KindUnreachable, "not an event stream"},
		{"not found", func(w http.ResponseWriter, q asked) { w.WriteHeader(404) }, wire.KindUnreachable, "404"},
		{"unauthorized", func(w http.ResponseWriter, q asked) { w.WriteHeader(401) }, wire.KindUnauthorized, "credentials"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, tt.serve, overSSE)
			start := time.Now()
			w.send(1, wire.MethodInitialize, `{}`)
			if e := w.wantError(tt.kind); !strings.Contains(e.Message, tt.part) {
				t.Errorf("got %q, want %q", e.Message, tt.part)
			}
			w.wantEnd(tt.kind)
			if d := time.Since(start); d > endpointTimeout {
				t.Errorf("it took %v", d)
			}
			if n := len(w.requests(http.MethodPost, wire.MethodInitialize)); n != 0 {
				t.Error("something was sent")
			}
		})
	}
}

// HTTP+SSE is tried only where Streamable HTTP may be unknown, and what was refused
// first is what is told.
func TestFallBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		method string
		want   string
		gets   int
	}{
		{"400", 400, "", wire.MethodInitialize, "httpError 1", 1},
		{"404", 404, "", wire.MethodInitialize, "httpError 1", 1},
		{"405", 405, "", wire.MethodInitialize, "httpError 1", 1},
		{"an old error", 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`, wire.MethodInitialize, "error 1 -32000 no ", 1},
		{"a header that does not match", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"no"}}`, wire.MethodInitialize, "error 1 -32020 no ", 0},
		{"an unknown version", 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}`, wire.MethodInitialize, "error 1 -32022 no ", 0},
		{"an unknown method", 404, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, wire.MethodInitialize, "error 1 -32601 no ", 0},
		{"403", 403, "", wire.MethodInitialize, "httpError 1", 0},
		{"500", 500, "", wire.MethodInitialize, "httpError 1", 0},
		{"another method", 404, "", "tools/list", "httpError 1", 0},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, func(w http.ResponseWriter, q asked) {
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			})
			w.send(1, tt.method, `{}`)
			w.wantNext(tt.want)
			if n := len(w.requests(http.MethodGet, "")); n != tt.gets {
				t.Errorf("%d streams were tried, want %d", n, tt.gets)
			}
			if !w.Streamable() {
				t.Error("it is HTTP+SSE")
			}
		})
	}
}
