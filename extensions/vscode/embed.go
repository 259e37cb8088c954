// Package vscode holds the extension for VS Code, so that the program can install it.
// Only programs built with the tag vsix have it, as `make build` does: it takes Node to
// make the extension, and `go build` must do without.
package vscode

// ID is the name that VS Code has for the extension: its publisher and its name.
const ID = "mcp-editord.mcp-editord"

// Package returns the extension as a VSIX without mcp-editord in it; nil in a program
// built without the tag vsix. Callers must not change it.
func Package() []byte { return vsix }
