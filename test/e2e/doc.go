// Package e2e holds the tests with the real binary: real processes, a real
// socket, and servers that are the project's own (one that misbehaves, one on the
// go-sdk that has all of MCP) or those of others, from npm and in Go, as servers/ pins
// them. TestCoverage is the table of all of MCP.
//
// Each test lives in a world of its own (see newWorld): a home, a configuration, a
// socket and a daemon that no other test sees. A world fails its test when any process
// is left at its end, when the race detector spoke in any of its processes and
// when the daemon panicked.
//
// With -short only the promises of docs/promises.md run.
//
// The daemon does not run on Windows yet, so every test file here begins with
// the constraint linux || darwin.
package e2e
