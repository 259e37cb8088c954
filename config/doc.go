// Package config reads mcp.json in every spelling, the user's and the
// workspace's, and says which servers there are.
//
// The walk: [ParseFile] turns bytes into a [File]. It never refuses; it reports a [Problem] for
// everything that is wrong. A [Store] holds the files of all workspaces, watches their
// directories and keeps the last good state of each. [Merge] makes one [Set] of what
// applies to one editor. [Definition.Expand] puts in the variables when a server is about to start.
// [Approvals] remembers each decision about a definition from a workspace file.
//
// Invariants:
//
//   - Nothing here runs a command or touches the network.
//   - A definition from a workspace file is never Trusted, whatever the file says.
//   - A digest covers the path of the file and everything that decides what runs; an
//     equal digest means an equal definition from the same file.
//   - A variable's value is text: nothing looks for variables in it again, and nothing
//     is ever handed to a shell.
//   - No message names the value of an environment variable, a header or an input.
package config
