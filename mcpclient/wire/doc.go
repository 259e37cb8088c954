// Package wire defines what passes between a session and an MCP server: the
// messages, the errors, and the [Wire] that carries them. Packages stdio and
// streamable make wires.
//
// Invariants:
//
//   - Bytes in, bytes out. Params, results and the data of errors are raw JSON. They
//     are checked to be valid and otherwise untouched, and alias the frame.
//   - An id goes back to the server as the value that the server sent.
//   - Every error that a caller may tell apart is an [Error] with a [Kind]. A JSON-RPC
//     error of the server is of [KindRPC]; all other kinds are our own.
//   - A frame over the limit costs no more memory than the limit, and the call that it
//     answers fails, if it can be told.
package wire
