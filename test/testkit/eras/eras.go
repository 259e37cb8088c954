// Package eras serves both eras of MCP at one URL, with the official Go SDK.
package eras

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// FirstModern is the first version without a handshake. Versions compare as text.
const FirstModern = "2026-07-28"

// Streamable serves both eras over Streamable HTTP. The SDK's handler serves 2026-07-28 only
// without sessions, and everything of the legacy era only with them.
func Streamable(server *mcp.Server) http.Handler {
	get := func(*http.Request) *mcp.Server { return server }
	modern := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	legacy := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("MCP-Protocol-Version") >= FirstModern {
			modern.ServeHTTP(w, r)
		} else {
			legacy.ServeHTTP(w, r)
		}
	})
}
