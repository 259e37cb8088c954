// Package fakeeditor is the LSP client of tests, and of programs that are scripts ([Run]). It shares
// no code with the daemon: it has its own framing and JSON-RPC, so that a test sees the bytes that an
// editor would see.
//
// It waits for events and never sleeps: [Editor.Expect] and [Editor.Await] look at everything that was
// received, before and after they were called. They fail at once when the event can no longer
// come. A failure says what was expected, what came instead, and how the conversation ended.
//
// It also misbehaves: [Editor.Stall], [Editor.Vanish], [Editor.SendRaw].
//
// Invariants:
//
//   - Every message, sent or received, is in [Editor.Messages], in the order of the wire.
//   - Every wait has a deadline, and ends when the connection does or when it is in vain.
//   - After the test nothing of the editor runs, except answers that were made to block.
package fakeeditor
