// Command benchserver is the MCP server behind the calls that test/bench measures:
//
//	benchserver          written with the official Go SDK, with the tool text
//	benchserver -bare N  a server without an SDK, with N tools; see bare.go
//
// Both speak on standard input and output and end with it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	tools := flag.Int("bare", 0, "serve so many tools without an SDK")
	flag.Parse()
	run := plain
	if *tools > 0 {
		run = func() error { return serveBare(*tools) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchserver:", err)
		os.Exit(1)
	}
}

// line is what the result of text consists of: source code, with the characters that JSON escapes.
const line = "\treturn fmt.Errorf(\"reading %q: %w\", name, err) // a line\n"

// repeat returns so many bytes of text.
func repeat(size int) string { return strings.Repeat(line, size/len(line)+1)[:size] }

// plain serves one tool: text returns so many bytes of text.
func plain() error {
	server := mcp.NewServer(&mcp.Implementation{Name: "benchserver", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{
		Name: "text", Description: "Returns text.",
		InputSchema: json.RawMessage(`{"type":"object","required":["bytes"],"properties":{"bytes":{"type":"integer"}}}`),
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a struct {
			Bytes int `json:"bytes"`
		}
		if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: repeat(a.Bytes)}}}, nil
	})
	return server.Run(context.Background(), &mcp.StdioTransport{})
}
