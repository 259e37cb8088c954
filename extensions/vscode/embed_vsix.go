//go:build vsix

package vscode

import _ "embed"

//go:embed dist/mcp-editord.vsix
var vsix []byte
