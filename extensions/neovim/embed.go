// Package neovim holds the plugin for Neovim that belongs to this program, so that
// the program can install it.
package neovim

import (
	"embed"
	"io/fs"
)

//go:embed plugin lua doc
var files embed.FS

// Plugin returns the plugin: the folders plugin, lua and doc.
func Plugin() fs.FS { return files }
