// Package fakeeditor is an LSP client for tests. It shares no code with the
// daemon: it has framing and JSON-RPC of its own, so that a test sees the bytes that an
// editor would see.
//
// It awaits instead of sleeping: [Editor.Await] looks at everything that was
// received, before and after it was called. What fails prints the whole
// conversation. It also misbehaves: [Editor.Stall], [Editor.Vanish], [Editor.SendRaw].
//
// Invariants:
//
//   - Every message, sent or received, is in [Editor.Messages], in the order of the wire.
//   - Every wait has a deadline and ends when the connection does.
//   - After the test nothing of it runs but answers that were made to block.
package fakeeditor
