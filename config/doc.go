// Package config reads mcp.json in every spelling, the user's and the
// workspace's, and says which servers there are.
//
// The walk: [ParseFile] makes a [File] of bytes, with a [Problem] for everything
// that is wrong, never a refusal. A [Store] holds the files of all workspaces, watches their
// directories and keeps the last good state of each. [Merge] makes one [Set] of what
// applies to one editor. [Definition.Expand] puts in the variables when a server is about to start.
// [Approvals] remembers what a person has said about a definition from a workspace file.
//
// Invariants:
//
//   - Nothing here runs a command or touches the network.
//   - A definition from a workspace file is never Trusted, whatever the file says.
//   - A digest covers all that decides what is run, and the path of the file; an
//     equal digest means an equal definition from the same file.
//   - A variable's value is text: it is not looked at for variables again, and nothing
//     is ever handed to a shell.
//   - No message names the value of an environment variable, a header or an input.
package config
