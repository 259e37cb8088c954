// Package mcpclient holds the connection to one MCP server: its wire, its
// session, its catalog and its supervised life.
//
// Bytes come in and go out: params and results are raw JSON, checked to be valid
// and otherwise untouched, so that members nobody knows yet, the order of members
// and the precision of numbers survive.
//
// The parts, from the outside in:
//
//   - [Client] is what the daemon holds. It keeps a server alive: it dials,
//     restarts with back-off, keeps the [Status] and the catalog. One goroutine
//     does so from Start to the end of Stop; only it changes the status.
//   - a session (unexported) is one handshake and what follows from it, in either
//     era of MCP: ids, pending calls, progress, cancellation, time limits, and what a
//     server wants to know before it answers. One goroutine reads, one writes; a caller
//     whose time is over waits for neither.
//   - a [wire.Wire] carries messages. Package stdio makes one of a child
//     process, package streamable one of an HTTP endpoint.
//
// Invariants:
//
//   - Every [Client.Call] returns exactly once. It never sends twice what a server may
//     have begun to do.
//   - A call's Progress function has returned from every invocation before Call
//     returns, and is invoked in the order of the wire.
//   - [Client.Status] reports the state as it is.
//   - Nothing grows without bound: lists, logs, pending requests, restarts.
package mcpclient
