// Package neovim holds the plugin for Neovim that belongs to this program, so that
// the program can install it.
package neovim

import (
	"embed"
	"io/fs"
)

//go:embed plugin ftplugin syntax all:lua doc
var files embed.FS

// Plugin returns the plugin: the folders that Neovim looks for in 'runtimepath'.
func Plugin() fs.FS { return files }
