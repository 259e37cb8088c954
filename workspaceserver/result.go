package workspaceserver

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// question returns the result that asks the client questions, or nil without any.
func question(ask mcp.InputRequestMap) *mcp.CallToolResult {
	if ask == nil {
		return nil
	}
	return &mcp.CallToolResult{InputRequests: ask}
}

// textResult returns a result with the text list, or none when list is empty.
func textResult(list, none string, truncated bool) *mcp.CallToolResult {
	if list == "" {
		list = none + "\n"
	}
	if truncated {
		list += "There may be more; narrow the search or raise the limit.\n"
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.TrimSuffix(list, "\n")}}}
}

// printable returns a path as it is, or quoted when it could break a list of lines.
func printable(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}
