// Command benchserver is the MCP server behind the calls that test/bench measures:
//
//	benchserver          written with the official Go SDK, with the tools text and echo
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

// plain serves two tools: text returns so many bytes of text, echo returns its argument.
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
		return text(strings.Repeat(line, a.Bytes/len(line)+1)[:a.Bytes]), nil
	})
	server.AddTool(&mcp.Tool{
		Name: "echo", Description: "Returns its argument.",
		InputSchema: json.RawMessage(`{"type":"object","required":["message"],"properties":{"message":{"type":"string"}}}`),
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a struct {
			Message string `json:"message"`
		}
		if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
			return nil, err
		}
		return text(a.Message), nil
	})
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
