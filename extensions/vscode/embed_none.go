//go:build !vsix

package vscode

var vsix []byte
