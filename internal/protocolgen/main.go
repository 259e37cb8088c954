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
// It reads no other package. The type of a field comes from Go or, for raw JSON, from
// its tag `wire` in Go's syntax: `object`, `mcp.Tool`, `[]mcp.Tool`, `int | string`. It makes a
// type when a method uses it, or when its comment has the line `//protocolgen:type`, which may
// give it another name.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

const docFile = "docs/editor-protocol.md"

func main() {
	check := flag.Bool("check", false, "write nothing; fail when something has drifted")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "protocolgen:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	p, err := parse("editorapi")
	if err != nil {
		return err
	}
	format, err := parse("config")
	if err != nil {
		return err
	}
	formatSchema, err := schema(format)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	doc, err := os.ReadFile(docFile)
	if err != nil {
		return err
	}
	text, err := fillMarkdown(string(doc), p)
	if err != nil {
		return fmt.Errorf("%s: %w", docFile, err)
	}
	var drifted error
	for _, file := range []struct{ path, text string }{
		{"extensions/vscode/src/protocol.gen.ts", typeScript(p)},
		{"extensions/neovim/lua/mcp-editord/protocol.lua", lua(p)},
		{docFile, text},
		{"config/mcp.schema.json", formatSchema},
	} {
		before, err := os.ReadFile(file.path)
		switch {
		case err != nil && !os.IsNotExist(err):
			return err
		case string(before) == file.text:
		case check:
			drifted = errors.Join(drifted, fmt.Errorf("%s has drifted; run `make doc`", file.path))
		default:
			if err := os.WriteFile(file.path, []byte(file.text), 0o644); err != nil {
				return err
			}
		}
	}
	return drifted
}
