// Package workspaceserver is the built-in MCP server: it finds files, searches
// text, reports the roots, and asks the user and the model, for any MCP client
// that speaks stdio.
//
// It serves the folders that the client names as its roots, asked for when they
// are first needed and again after notifications/roots/list_changed. A client
// without roots is served the working directory. What the client cannot answer
// is not offered: ask_user needs elicitation, ask_model needs sampling.
//
// It speaks both eras of the protocol. Up to 2025-11-25 a question to the client
// is a request of its own; at 2026-07-28 it is part of an input_required result,
// and its answer comes with the repeated call (MCP 2026-07-28, Multi Round-Trip
// Requests).
//
// Invariants:
//
//   - No file outside the roots is opened. A path is made canonical, compared with
//     the canonical roots and opened through [os.Root], so that neither ".." nor
//     a symbolic link leads out, even one that is made meanwhile.
//   - Only regular files are read, and never more than a fixed number of bytes.
//   - Every walk visits at most 200,000 entries, in one order: the roots as the
//     client lists them, then the names of each directory.
//   - What is found is data: names and text are passed on, never interpreted.
package workspaceserver
