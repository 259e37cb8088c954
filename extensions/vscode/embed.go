// Package vscode holds the extension for VS Code that belongs to this program, so that
// the program can install it. It is in programs that are built with the tag vsix, as
// `make build` does: the extension is made with Node, which `go build` does not need.
package vscode

// ID is the name that VS Code has for the extension: its publisher and its name.
const ID = "mcp-editord.mcp-editord"

// Package returns the extension as a VSIX without mcp-editord in it, nil in a program
// that is built without the tag vsix. It must not be changed.
func Package() []byte { return vsix }
