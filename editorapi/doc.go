// Package editorapi is the LSP face of the daemon: what editors and daemon say
// to each other, version 1 of the editor protocol (docs/editor-protocol.md).
//
// [Serve] runs one editor's connection on a [Backend], which is the daemon.
// [Client] is the other end, for programs that are an editor themselves: the
// command line is one.
//
// Invariants:
//
//   - Every request gets exactly one answer; what is not valid gets an error and
//     the connection goes on, unless its frames can no longer be told apart.
//   - Notifications are handled in the order of the wire, requests concurrently.
//   - What is sent to one editor is sent in the order in which it was handed over:
//     a call's progress never follows its result.
//   - An editor that does not read is disconnected; it never holds up the backend.
//   - Everything an editor receives is valid UTF-8 JSON.
package editorapi
