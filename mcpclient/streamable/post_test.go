package streamable

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

// mcpHeaders returns the headers of MCP among those of a request.
func mcpHeaders(h http.Header) map[string]string {
	got := map[string]string{}
	for name, values := range h {
		if strings.HasPrefix(name, "Mcp-") {
			got[name] = strings.Join(values, "; ")
		}
	}
	return got
}

func TestHeaders(t *testing.T) {
	const version = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, tt := range []struct {
		name string
		msg  *wire.Request
		want map[string]string
	}{
		{"initialize", rpcCall(1, "initialize", `{"protocolVersion":"2025-11-25"}`), map[string]string{}},
		{"a modern call", rpcCall(1, "tools/call", `{"name":"add",`+version+`}`),
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "add"}},
		{"a name that is no header value", rpcCall(1, "prompts/get", `{"name":"añadir",`+version+`}`),
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/get", "Mcp-Name": "=?base64?YcOxYWRpcg==?="}},
		{"a resource", rpcCall(1, "resources/read", `{"uri":"file:///a b","name":"no",`+version+`}`),
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "file:///a b"}},
		{"no name", rpcCall(1, "tools/list", `{"name":"no",`+version+`}`),
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}},
		{"a method that is no header value", rpcCall(1, "x\ny", `{`+version+`}`),
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "=?base64?eAp5?="}},
		{"headers of the session", &wire.Request{ID: wire.NumberID(1), Method: "tools/list", Params: []byte(`{` + version + `}`),
			Mirrored: map[string]string{"Mcp-Param-Region": "eu", "mcp-param-id": "é"}},
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Mcp-Param-Region": "eu", "Mcp-Param-Id": "=?base64?w6k=?="}},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, func(w http.ResponseWriter, q asked) { reply(w, q, `"result":{}`) })
			w.write(tt.msg)
			w.wantNext(`result 1 {}`)
			q := w.one(http.MethodPost, tt.msg.Method)
			if got := mcpHeaders(q.header); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if q.header.Get("Accept") != "application/json, text/event-stream" || q.header.Get("Content-Type") != "application/json" ||
				q.header.Get("Authorization") != "Bearer secret" {
				t.Errorf("got %v", q.header)
			}
		})
	}
}

// After initialize, everything has the version and the session, until a new
// initialize.
func TestSessionHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, noStream(func(w http.ResponseWriter, q asked) { reply(w, q, `"result":{}`) }))
		w.open()
		synctest.Wait()
		w.send(2, "tools/list", `{}`)
		w.wantNext(`result 2 {}`)
		w.write(&wire.Response{ID: wire.NumberID(7), Result: []byte(`{}`)})
		synctest.Wait()
		_ = w.Close()
		want := map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "s-1"}
		for _, q := range []asked{
			w.one(http.MethodPost, wire.MethodInitialized), w.one(http.MethodPost, "tools/list"),
			w.one(http.MethodPost, ""), w.one(http.MethodGet, ""), w.one(http.MethodDelete, ""),
		} {
			if got := mcpHeaders(q.header); !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s has %v", q.http, q.method, got)
			}
		}
		if got := mcpHeaders(w.one(http.MethodPost, wire.MethodInitialize).header); len(got) != 0 {
			t.Errorf("initialize has %v", got)
		}
	})
}

// Faults stray-answer and http-oversize, as far as one answer goes.
func TestAnswers(t *testing.T) {
	body := func(contentType, body string) handler {
		return func(w http.ResponseWriter, q asked) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", q.id))
		}
	}
	status := func(status int, body string) handler {
		return func(w http.ResponseWriter, q asked) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	long := strings.Repeat("x", 10_000)
	for _, tt := range []struct {
		name             string
		serve            handler
		want             []string
		noise, oversized int64
	}{
		{"JSON, verbatim", body("application/json", "\n{\"jsonrpc\":\"2.0\",\n\"id\":ID,\"result\":{\"n\":1.00,\n \"n2\":12345678901234567890}}\n"),
			[]string{"result 5 {\"n\":1.00,\n \"n2\":12345678901234567890}"}, 0, 0},
		{"a type with parameters", body("Application/JSON; charset=utf-8", `{"jsonrpc":"2.0","id":ID,"result":{}}`), []string{"result 5 {}"}, 0, 0},
		{"a type with bad parameters", body("application/json; charset", `{"jsonrpc":"2.0","id":ID,"result":{}}`), []string{"result 5 {}"}, 0, 0},
		{"an error", body("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"no","data":{"a":1.0}}}`), []string{`error 5 -1 no {"a":1.0}`}, 0, 0},
		{"an error without an id", body("application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}`), []string{`error 5 -1 no `}, 0, 0},
		{"a batch", body("application/json", `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":ID,"result":{}}]`),
			[]string{"request null notifications/x ", "result 5 {}"}, 0, 0},
		{"a stream", body("text/event-stream;charset=utf-8", "event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":ID,\"result\":{}}\n\n"), []string{"result 5 {}"}, 0, 0},
		{"progress before the answer", body("text/event-stream", "id: 1\ndata:\n\n: ping\n\n"+aNotification+"\n\nevent: other\ndata: x\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}\n\n"),
			[]string{"request null notifications/x {}", "result 5 {}"}, 0, 0},
		{"a request of the server", body("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}\n\n"),
			[]string{`request "q" roots/list `, "result 5 {}"}, 0, 0},
		{"a batch on a stream", body("text/event-stream", `data: [{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":ID,"result":{}}]`+"\n\n"),
			[]string{"request null notifications/x ", "result 5 {}"}, 0, 0},
		{"noise on a stream", body("text/event-stream", "data: hello\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}\n\n"), []string{"result 5 {}"}, 1, 0},
		{"nothing but noise on a stream", body("text/event-stream", "id: 1\ndata: hello\n\n"), []string{"invalidResult 5"}, 1, 0},
		{"an error without an id on a stream", body("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"no\"}}\n\n"), []string{"error 5 -1 no "}, 0, 0},
		{"no JSON", body("application/json", `hello`), []string{"invalidResult 5"}, 1, 0},
		{"a result that is no JSON", body("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"a":1,"a":2}}`), []string{"invalidResult 5"}, 0, 0},
		{"nothing", body("application/json", ``), []string{"invalidResult 5"}, 0, 0},
		{"an answer to another request", body("application/json", `{"jsonrpc":"2.0","id":"ID","result":{}}`), []string{`result "5" {}`, "invalidResult 5"}, 0, 0},
		{"a page", body("text/html", `<p>`), []string{"invalidResult 5"}, 0, 0},
		{"no type", body("", `{"jsonrpc":"2.0","id":ID,"result":{}}`), []string{"invalidResult 5"}, 0, 0},
		{"accepted", status(202, ""), []string{"invalidResult 5"}, 0, 0},
		{"no content", status(204, ""), []string{"invalidResult 5"}, 0, 0},
		{"a refusal in JSON-RPC", status(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"no","data":1.0}}`), []string{"error 5 -32020 no 1.0"}, 0, 0},
		{"a refusal that is long", status(500, long), []string{"httpError 5"}, 0, 0},
		{"JSON over the limit", body("application/json", `{"jsonrpc":"2.0","id":ID,"result":"`+long+`"}`), []string{"tooLarge 5"}, 0, 1},
		{"JSON without end", func(w http.ResponseWriter, q asked) {
			w.Header().Set("Content-Type", "application/json")
			for q.ctx.Err() == nil {
				_, _ = io.WriteString(w, long)
			}
		}, []string{"tooLarge 5"}, 0, 1},
		{"an event over the limit", body("text/event-stream", `data: {"jsonrpc":"2.0","id":ID,"result":"`+long+`"}`+"\n\n"+aNotification+"\n\n"),
			[]string{"tooLarge 5", "request null notifications/x {}"}, 0, 1},
		{"an event over the limit for nobody", body("text/event-stream", `data: {"jsonrpc":"2.0","method":"`+long+`"}`+"\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}\n\n"),
			[]string{"result 5 {}"}, 0, 1},
		{"an event over the limit that may be the answer", body("text/event-stream", `data: {"a":"`+long+`","jsonrpc":"2.0","id":ID,"result":"`+long+`"}`+"\n\n"),
			[]string{"tooLarge 5"}, 0, 1},
		{"a line without end", func(w http.ResponseWriter, q asked) {
			openStream(w)
			_, _ = io.WriteString(w, "data: ")
			for range 2000 {
				_, _ = io.WriteString(w, long)
			}
		}, []string{"tooLarge 5"}, 0, 1},
		{"a gzip bomb", func(w http.ResponseWriter, q asked) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			_, _ = io.WriteString(z, message(q, `"result":"`))
			for q.ctx.Err() == nil { // without end
				_, _ = io.WriteString(z, long)
			}
		}, []string{"tooLarge 5"}, 0, 1},
		{"a connection lost in the body", func(w http.ResponseWriter, q asked) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`)
		}, []string{"serverGone 5"}, 0, 0},
		{"a connection lost before", func(w http.ResponseWriter, q asked) { panic(http.ErrAbortHandler) }, []string{"serverGone 5"}, 0, 0},
		{"a stream without the answer", body("text/event-stream", aNotification+"\n\n"), []string{"request null notifications/x {}", "serverGone 5"}, 0, 0},
		{"a stream of 2026-07-28 is not resumed", body("text/event-stream", "id: 1\n"+aNotification+"\n\n"), []string{"request null notifications/x {}", "serverGone 5"}, 0, 0},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, tt.serve, func(_ *Dialer, l *limits) { l.frame = 5000 })
			w.send(5, "tools/call", modernCall(`"name":"x"`))
			for _, want := range tt.want {
				w.wantNext(want)
			}
			if noise, oversized := w.log.Counted(); noise != tt.noise || oversized != tt.oversized {
				t.Errorf("counted %d and %d, want %d and %d", noise, oversized, tt.noise, tt.oversized)
			}
			if n := len(w.requests(http.MethodPost, "tools/call")); n != 1 {
				t.Errorf("the call was sent %d times", n)
			}
			synctest.Wait()
			select {
			case msg := <-w.in:
				t.Errorf("then came %s", wiretest.Show(msg))
			case <-w.life.Done():
				t.Errorf("then came %v", w.failure())
			default:
			}
		})
	}
}

// A stream that goes on after the answer is let go of.
func TestStreamAfterAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open context.Context
		w := dialTest(t, func(w http.ResponseWriter, q asked) {
			openStream(w, "data: "+message(q, `"result":{}`), aNotification)
			open = q.ctx
			<-q.ctx.Done()
		})
		w.send(1, "ping", `{}`)
		w.wantNext(`result 1 {}`)
		w.wantNext(`request null notifications/x {}`)
		synctest.Wait()
		if open.Err() != nil {
			t.Error("the stream was let go of at once")
		}
		<-time.After(linger + time.Millisecond)
		synctest.Wait()
		if open.Err() == nil {
			t.Error("the stream was kept")
		}
	})
}
