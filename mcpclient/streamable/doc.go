// Package streamable reaches MCP servers over Streamable HTTP (MCP 2025-11-25 and
// 2026-07-28, Transports) and over HTTP+SSE (MCP 2024-11-05, Transports).
//
// Invariants:
//
//   - The headers that are configured, which may be credentials, go to the configured
//     endpoint alone: a redirect to another server is not followed, nor is another one
//     that a server names for its messages. Neither a URL nor a header is in an error or
//     in the log.
//   - A request is sent once. What a lost session has refused unread is told apart
//     from what may have been carried out.
//   - No body, no event and no stream without an end costs more memory than its limit.
//   - A wire that can carry nothing any more ends, and says why.
package streamable
