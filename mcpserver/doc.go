// Package mcpserver is an MCP server on stdio for one agent. It attaches to the daemon as an editor
// does, and gives the agent the servers of its workspace.
//
// Invariants:
//
//   - What a server says reaches the agent byte for byte, and what the agent says the server, except
//     for names of tools and prompts, and what MCP ties to one connection: ids and progress tokens.
//   - The answers to initialize, server/discover and lists wait for no server.
//   - The agent's session outlives the daemon.
//   - Only what is passed on is advertised.
package mcpserver
