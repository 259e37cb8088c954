package mcpclient

import (
	"context"
	"net/http"
	"net/url"
)

// HTTPDialer reaches a server over Streamable HTTP (MCP 2025-11-25 and
// 2026-07-28, Transports) or HTTP+SSE (MCP 2024-11-05, Transports).
type HTTPDialer struct {
	URL    string      // of the MCP endpoint
	Header http.Header // sent with every request, beside MCP's own

	// SSE says that the endpoint speaks HTTP+SSE. Otherwise it is asked by
	// Streamable HTTP first, and by HTTP+SSE when it knows nothing of that.
	SSE bool

	// Proxy returns the proxy for a request, as in [http.Transport]; nil means none.
	Proxy func(*http.Request) (*url.URL, error)
}

// Dial prepares the connection; the endpoint is first asked when something is written.
func (d HTTPDialer) Dial(ctx context.Context, log LogSink) (Wire, error) {
	return nil, errorf(KindSpawn, "", "not there yet")
}
