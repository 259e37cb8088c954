package streamable

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// host is a [mcpclient.Host] that wants to know nothing.
type host struct{}

func (host) Request(context.Context, mcpclient.Ask) (json.RawMessage, error) {
	return json.RawMessage(`{"roots":[]}`), nil
}
func (host) Notification(string, json.RawMessage) {}
func (host) StatusChanged(mcpclient.Status)       {}
func (host) CatalogChanged([]mcpclient.ListKind)  {}
func (host) SubscriptionEnded(uri, reason string) {}
func (host) LogGrew()                             {}

// A Client lives on the wire: progress comes before its result, a request of the
// server is answered within the call, and Stop leaves nothing.
func TestClientWithSDK(t *testing.T) {
	for _, sse := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP+SSE is %v", sse), func(t *testing.T) {
			sdk := sdkServer(t)
			pick := func(*http.Request) *mcp.Server { return sdk }
			handler := http.Handler(mcp.NewStreamableHTTPHandler(pick, nil))
			if sse {
				handler = mcp.NewSSEHandler(pick, nil)
			}
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			c := mcpclient.New(mcpclient.Options{
				Name: "sdk", Dialer: Dialer{URL: server.URL, SSE: sse}, Host: host{},
				ClientInfo: []byte(`{"name":"test","version":"0"}`), Protocol: wire.Version20251125,
			})
			t.Cleanup(c.Close)
			if err := c.Start().Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			progress := 0
			result, err := c.Call(t.Context(), mcpclient.Call{
				Method: "tools/call", Params: []byte(`{"name":"work","arguments":{"ask":1}}`),
				Progress: func(params json.RawMessage) { progress++ },
			})
			if err != nil || !strings.Contains(string(result), "done") || progress != 3 {
				t.Errorf("got %s, %v after %d times progress", result, err, progress)
			}
			if err := c.Stop().Wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// stateHost is a [mcpclient.Host] that notes the states.
type stateHost struct {
	host
	mu     sync.Mutex
	states []mcpclient.State
	told   chan struct{} // gets a value for each
}

func (h *stateHost) StatusChanged(s mcpclient.Status) {
	h.mu.Lock()
	h.states = append(h.states, s.State)
	h.mu.Unlock()
	h.told <- struct{}{}
}

// A Client whose access token is refused fails until the user has signed in, and is then started
// again: from its handshake on, and in the middle of a session.
func TestClientSignsIn(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sse      bool
		protocol string
	}{
		{"2026-07-28", false, wire.Version20260728}, {"2025-11-25", false, wire.Version20251125}, {"HTTP+SSE", true, wire.Version20251125},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			good, calls := "secret-2", 0
			sdk := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
			mcp.AddTool(sdk, &mcp.Tool{Name: "count"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				mu.Lock()
				defer mu.Unlock()
				calls++
				return &mcp.CallToolResult{}, nil, nil
			})
			pick := func(*http.Request) *mcp.Server { return sdk }
			handler := http.Handler(mcp.NewStreamableHTTPHandler(pick, &mcp.StreamableHTTPOptions{Stateless: tt.protocol == wire.Version20260728}))
			if tt.sse {
				handler = mcp.NewSSEHandler(pick, nil)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				ok := r.Header.Get("Authorization") == "Bearer "+good
				mu.Unlock()
				if !ok {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			expect := func(token string) { // from now on the server takes this one
				mu.Lock()
				defer mu.Unlock()
				good = token
			}
			auth := &fakeAuth{token: "secret-1", refuse: func(string, int, http.Header, bool) (bool, error) { return false, signIn() }}
			h := &stateHost{told: make(chan struct{}, 100)}
			c := mcpclient.New(mcpclient.Options{
				Name: "sdk", Dialer: Dialer{URL: server.URL, SSE: tt.sse, Authorizer: auth}, Host: h,
				ClientInfo: []byte(`{"name":"test","version":"0"}`), Protocol: tt.protocol,
			})
			t.Cleanup(c.Close)
			until := func(state mcpclient.State) {
				t.Helper()
				for c.Status().State != state {
					<-h.told
				}
			}
			signInNeeded := func(err error) {
				t.Helper()
				if wire.KindOf(err) != wire.KindSignInNeeded || err.Error() != signIn().Message {
					t.Errorf("got %v", err)
				}
			}
			call := func() error {
				_, err := c.Call(t.Context(), mcpclient.Call{Method: "tools/call", Params: []byte(`{"name":"count","arguments":{}}`)})
				return err
			}

			signInNeeded(c.Start().Wait(t.Context()))
			signInNeeded(call())
			auth.change(func() { auth.token = "secret-2" })
			if err := c.Start().Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := call(); err != nil {
				t.Error(err)
			}
			expect("secret-3")
			signInNeeded(call())
			until(mcpclient.StateFailed)
			signInNeeded(call())
			auth.change(func() { auth.token = "secret-3" })
			if err := c.Start().Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := call(); err != nil {
				t.Error(err)
			}

			expect("secret-4") // a refresh that needs nobody
			auth.change(func() { auth.refuse, auth.refreshes = nil, 2 })
			if err := call(); err != nil {
				t.Error(err)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if want := []mcpclient.State{"starting", "failed", "starting", "ready", "failed", "starting", "ready"}; !slices.Equal(slices.Compact(h.states), want) {
				t.Errorf("states %v", h.states)
			}
			mu.Lock()
			defer mu.Unlock()
			if calls != 3 {
				t.Errorf("the tool was carried out %d times", calls)
			}
		})
	}
}
