// Package wire says what passes between a session and an MCP server: the
// messages, the errors, and the [Wire] that carries them. Packages stdio and
// streamable make wires.
//
// Invariants:
//
//   - Bytes in, bytes out. Params, results and the data of errors are raw JSON. They
//     are checked to be valid and otherwise untouched. What is read does not alias the
//     frame that it was read from.
//   - An id goes back to the server as the value that the server sent.
//   - Every error that a caller may tell apart is an [Error] with a [Kind]. What the
//     server itself answered is of [KindRPC]; all others are made here.
//   - What is over a limit costs no more memory than the limit, and the call that it
//     answers fails, if it can be told.
package wire
