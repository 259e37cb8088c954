// Package streamable reaches MCP servers over Streamable HTTP (MCP 2025-11-25 and
// 2026-07-28, Transports) and over HTTP+SSE (MCP 2024-11-05, Transports).
//
// Invariants:
//
//   - The configured headers, which may be credentials, and the access token go only to the
//     configured endpoint: a redirect to another server is not followed, nor is another
//     endpoint that a server names for its messages. No error and no log has a URL or a
//     header.
//   - A request is sent once. Only one that was refused with 401 or 403, and so was not
//     carried out, is sent once more, if there is another access token for it.
//   - A request that a lost session refused unread is told apart from one that may have been
//     carried out.
//   - No body, event or endless stream costs more memory than its limit.
//   - A wire that can carry nothing any more ends, and says why.
package streamable
