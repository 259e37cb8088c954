// Package calldoc reads and writes call documents (docs/call-documents.md), and is their language server:
// what may stand at a place, what it means, and what is wrong.
//
// Invariants:
//
//   - Documents, and what servers say, are hostile: any text is read in time in proportion to its length, and nothing
//     is looked at that is longer than the bounds below say.
//   - What a server says never becomes part of the syntax of a document: it is one scalar, or a comment.
//   - Reading a document asks no server and opens no file. [Workspace.Values] opens one, within the workspace.
package calldoc
