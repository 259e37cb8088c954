// Command fakeserver is an MCP server for tests; see package fakeserver.
package main

import "github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"

func main() { fakeserver.Main() }
