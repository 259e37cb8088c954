// Package workspaceserver is the built-in MCP server: it finds files, searches
// text, reports the roots, and asks the user and the model, for any MCP client
// that speaks stdio.
//
// It serves the folders that the client names as its roots, and asks for them whenever it
// needs them. To a client without roots it serves the working directory. It offers only tools
// that the client can answer: ask_user needs elicitation, ask_model needs sampling.
//
// It speaks both eras of the protocol. Up to 2025-11-25 a question to the client
// is a request of its own; at 2026-07-28 it is part of an input_required result,
// and the repeated call carries the answer (MCP 2026-07-28, Multi Round-Trip
// Requests).
//
// Invariants:
//
//   - The server opens no file outside the roots. It makes a path canonical, compares it with
//     the canonical roots and opens it through [os.Root], so that neither ".." nor
//     a symbolic link leads out, even one that appears meanwhile.
//   - The server reads only regular files, and never more than a fixed number of bytes.
//   - Every walk visits at most 200,000 entries, in one order: the roots as the
//     client lists them, then the names of each directory.
//   - Names and text in files are data: the server passes them on and never interprets them.
package workspaceserver
