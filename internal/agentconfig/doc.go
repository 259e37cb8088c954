// Package agentconfig enters mcp-editord in the configuration files of agents, and takes it out again. It also reads
// the servers that are in such files, and in those of other programs.
//
// An [Agent] knows where its file is and how a server is written there. It makes a [Plan], which
// says what would change; [Plan.Apply] makes it so. A [Source] is a file to read.
//
// Invariants:
//
//   - Nothing else in a file changes: neither comments nor the order and layout of what is there.
//   - A file that cannot be read as what it should be is left alone.
//   - Whatever the edit was, what the file says about everything else is compared before anything is
//     written.
//   - Nothing but our own entries is ever shown: other entries may hold secrets. Errors quote no value of a file; who
//     reads a [Source] gets all of an entry, and takes care of what is secret in it.
package agentconfig
