// Command bench measures what the daemon costs, for `make bench`. It prints one table of goals,
// keeps everything that it has measured in a file, and makes the tables and plots of
// docs/performance.md from that file:
//
//	go run ./test/bench -raw docs/performance.json -write docs/performance.md    measure everything
//	go run ./test/bench -from docs/performance.json -write docs/performance.md   make the document again
//	go run ./test/bench -quick                                                   about a minute, no document
//	go run ./test/bench -only calls -sizes 100 -ways raw,direct,socket,attach -rounds 10
//	go run ./test/bench -only calls -sizes 100 -against /tmp/before/mcp-editord
//
// The last one takes the socket and attach of another daemon into the same rounds.
//
// The ways of a call:
//
//	raw client     lines of JSON to the server's standard input; nothing is decoded
//	go-sdk direct  the official Go SDK's client, with the server as its child
//	socket         frames of LSP on the daemon's socket; nothing is decoded
//	attach         the same through `mcp-editord attach`, on its pipes
//	mcp-hub        REST of mcp-hub from npm, in a network namespace of its own; nothing is decoded
//
// The ways take turns in short rounds within one run, so that whatever else the machine does slows
// all of them. Only their ratios mean something; their spread is that of the rounds. The goals are
// in goals.go: one that is missed does not fail the command.
//
// Everything that is started ends with the run. Servers listen on nothing but Unix sockets.
package main
