// Package editorapi is the LSP face of the daemon: what editors and daemon say
// to each other, version 1 of the editor protocol (docs/editor-protocol.md).
//
// [Serve] runs one editor's connection on a [Backend], which is the daemon.
// [Client] is the other end, for programs that act as an editor themselves, such
// as the command line.
//
// Invariants:
//
//   - Every request gets exactly one answer. An invalid message gets an error, and
//     the connection goes on unless its frames can no longer be told apart.
//   - Notifications are handled in the order of the wire, requests concurrently.
//   - An editor gets messages in the order in which they were handed over: a call's
//     progress never follows its result.
//   - An editor that does not read is disconnected; it never holds up the backend.
//   - Everything an editor receives is valid UTF-8 JSON.
package editorapi
