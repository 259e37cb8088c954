package streamable

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// host is a [mcpclient.Host] that wants to know nothing.
type host struct{}

func (host) Request(context.Context, string, json.RawMessage, []mcpclient.Owner) (json.RawMessage, error) {
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
				ClientInfo: []byte(`{"name":"test","version":"0"}`), Protocol: mcpclient.Version20251125,
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
