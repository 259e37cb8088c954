// Protocolgen makes everything else that describes the editor protocol from the types and methods
// of editorapi and their doc comments:
//
//	go run ./internal/protocolgen          writes
//	go run ./internal/protocolgen -check   fails when something has drifted
//
// It makes the types of both plugins and, in docs/editor-protocol.md, the text between a line
// `<!-- made of editorapi: … -->` and the next `<!-- end -->`. Run it at the root of the
// repository.
//
// From the types of config that describe a configuration file (config/format.go) it makes their JSON
// Schema.
//
// It reads only the syntax of both. The type of a field comes from Go or, for raw JSON, from
// its tag `wire` in Go's syntax: `object`, `mcp.Tool`, `[]mcp.Tool`, `int | string`. It makes a
// type when a method uses it, or when its comment has the line `//protocolgen:type`, which may
// give it another name.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
)

const (
	sourceDir      = "editorapi"
	typeScriptFile = "extensions/vscode/src/protocol.gen.ts"
	luaFile        = "extensions/neovim/lua/mcp-editord/protocol.lua"
	docFile        = "docs/editor-protocol.md"

	configDir  = "config"
	schemaFile = "config/mcp.schema.json"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail when something has drifted")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "protocolgen:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	p, err := parseDir(sourceDir)
	if err != nil {
		return err
	}
	doc, err := os.ReadFile(docFile)
	if err != nil {
		return err
	}
	text, err := fillMarkdown(string(doc), p)
	if err != nil {
		return fmt.Errorf("%s: %w", docFile, err)
	}
	format, err := parseDir(configDir)
	if err != nil {
		return err
	}
	formatSchema, err := schema(format)
	if err != nil {
		return fmt.Errorf("%s: %w", schemaFile, err)
	}
	var drifted error
	for _, file := range []struct{ path, text, from string }{
		{typeScriptFile, typeScript(p), sourceDir},
		{luaFile, lua(p), sourceDir},
		{docFile, text, sourceDir},
		{schemaFile, formatSchema, configDir},
	} {
		before, err := os.ReadFile(file.path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		switch {
		case bytes.Equal(before, []byte(file.text)):
		case check:
			drifted = errors.Join(drifted, fmt.Errorf("%s has drifted from %s; run `make doc`", file.path, file.from))
		default:
			if err := os.WriteFile(file.path, []byte(file.text), 0o644); err != nil {
				return err
			}
		}
	}
	return drifted
}
