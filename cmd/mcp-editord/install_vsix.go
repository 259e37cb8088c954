package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
)

// bundledProgram is where the extension looks for mcp-editord in its package (extensions/vscode/src/binary.ts).
const bundledProgram = "extension/bin/mcp-editord"

// writeVSIX writes a VSIX with the contents of extension, another VSIX, and the program binary.
func writeVSIX(file string, extension []byte, binary string) (err error) {
	in, err := zip.NewReader(bytes.NewReader(extension), int64(len(extension)))
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := zip.NewWriter(f)
	for _, entry := range in.File {
		if err := out.Copy(entry); err != nil {
			return err
		}
	}
	program, err := os.Open(binary)
	if err != nil {
		return err
	}
	defer program.Close()
	header := &zip.FileHeader{Name: bundledProgram} // not compressed: VS Code reads it at once
	header.SetMode(0o755)
	w, err := out.CreateHeader(header)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, program); err != nil {
		return err
	}
	return out.Close()
}
