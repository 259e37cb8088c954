// Package mcpclient holds the connection to one MCP server: its wire, its
// session, its catalogue and its supervised life.
//
// What comes in and goes out is bytes: params and results are raw JSON, checked
// to be valid and otherwise untouched, so that members nobody knows yet, the
// order of members and the precision of numbers survive.
//
// The parts, from the outside in:
//
//   - [Client] is what the daemon holds. It keeps a server alive: it dials,
//     restarts with back-off, keeps the [Status] and the catalogue. One goroutine
//     does so from Start to the end of Stop; only it changes the status.
//   - a session (unexported) is one handshake's worth of conversation, in either
//     era of MCP: ids, pending calls, progress, cancellation, time limits, and what a
//     server wants to know before it answers. One goroutine reads, one writes; a caller
//     waits for neither when its time is over.
//   - a [wire.Wire] carries messages. Package stdio makes one of a child
//     process, package streamable one of an HTTP endpoint.
//
// Invariants:
//
//   - Every [Client.Call] returns exactly once. What a server may have begun to do is
//     never sent twice.
//   - A call's Progress function has returned from every invocation before Call
//     returns, and is invoked in the order of the wire.
//   - The state that [Client.Status] reports is the state that is.
//   - Nothing grows without bound: lists, logs, pending requests, restarts.
package mcpclient
