package streamable

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

// sdkServer is a server of the go-sdk with a tool that tells of progress, ends its
// stream before its answer, and asks the client.
func sdkServer(t *testing.T) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	schema := map[string]any{"type": "object"}
	server.AddTool(&mcp.Tool{Name: "work", InputSchema: schema}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			for i := range 3 {
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i)}); err != nil {
					t.Errorf("progress: %v", err)
				}
			}
		}
		if rawjson.Get(r.Params.Arguments, "part") != nil {
			r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: time.Millisecond})
		}
		if rawjson.Get(r.Params.Arguments, "ask") != nil {
			if err := r.Session.Ping(ctx, nil); err != nil {
				t.Errorf("ping: %v", err)
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
	return server
}

// dialSDK returns a wire to handler over a real socket.
func dialSDK(t *testing.T, handler http.Handler, change func(*Dialer)) *testConn {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	d := Dialer{URL: server.URL}
	change(&d)
	test := &testConn{t: t, log: wiretest.NewLog()}
	w, err := d.dial(test.log, defaults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Kill()
		_ = w.Close()
	})
	test.conn = w
	return test
}

// until reads until the answer to request id, answers pings, and returns the
// answer and the methods of what came before it.
func (w *testConn) until(id int64) (answer string, before []string) {
	w.t.Helper()
	for {
		msg, err := w.Read(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		switch m := msg.(type) {
		case *wire.Request:
			before = append(before, m.Method)
			if m.IsCall() {
				w.write(&wire.Response{ID: m.ID, Result: []byte(`{}`)})
			}
		case *wire.Response:
			if m.ID != wire.NumberID(id) {
				w.t.Fatalf("got %s", wiretest.Show(m))
			}
			return wiretest.Show(m), before
		}
	}
}

func TestWithSDK(t *testing.T) {
	streamable := func(o *mcp.StreamableHTTPOptions) func(*mcp.Server) http.Handler {
		return func(s *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, o)
		}
	}
	for _, tt := range []struct {
		name    string
		handler func(*mcp.Server) http.Handler
		sse     bool // is configured
		session bool
		params  string // of the call
		before  string
	}{
		{"streams", streamable(nil), false, true, `"arguments":{"ask":1},"_meta":{"progressToken":"p"}`,
			"notifications/progress notifications/progress notifications/progress ping"},
		{"resumable streams", streamable(&mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}), false, true, `"arguments":{"ask":1,"part":1},"_meta":{"progressToken":"p"}`,
			"notifications/progress notifications/progress notifications/progress ping"},
		{"JSON", streamable(&mcp.StreamableHTTPOptions{JSONResponse: true}), false, true, `"arguments":{}`, ""},
		{"HTTP+SSE", func(s *mcp.Server) http.Handler {
			return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil)
		}, true, false, `"arguments":{"ask":1},"_meta":{"progressToken":"p"}`, "notifications/progress notifications/progress notifications/progress ping"},
		{"HTTP+SSE, found out", func(s *mcp.Server) http.Handler {
			return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil)
		}, false, false, `"arguments":{"ask":1},"_meta":{"progressToken":"p"}`, "notifications/progress notifications/progress notifications/progress ping"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := sdkServer(t)
			w := dialSDK(t, tt.handler(server), func(d *Dialer) { d.SSE = tt.sse })
			w.send(1, wire.MethodInitialize, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
			if answer, _ := w.until(1); !strings.Contains(answer, `"protocolVersion":"2025-11-25"`) {
				t.Fatalf("got %s", answer)
			}
			w.notify(wire.MethodInitialized, `{}`)
			if session := w.sessionID(); (session != "") != tt.session {
				t.Errorf("the session is %q", session)
			}
			w.send(2, "tools/call", `{"name":"work",`+tt.params+`}`)
			answer, before := w.until(2)
			if !strings.Contains(answer, "done") || strings.Join(before, " ") != tt.before {
				t.Errorf("got %s after %q", answer, before)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			if n := len(slices.Collect(server.Sessions())); tt.session && n != 0 {
				t.Errorf("%d sessions were not ended", n)
			}
		})
	}
}
