// Package stdio runs MCP servers as child processes and speaks to them over their
// standard input and output (MCP 2025-11-25, Transports, stdio).
//
// Invariants:
//
//   - A message is one line. A line that is not a message is logged and skipped; a server
//     that writes nothing else is ended.
//   - When Close returns, nothing of the server that could be reached is left: neither its
//     process group nor a pipe to it.
//   - A server that does not read its input, or that writes without end on its standard
//     error, keeps nobody waiting but its own session.
package stdio
