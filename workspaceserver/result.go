package workspaceserver

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
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

// schema returns the schema of T, with the descriptions from its jsonschema
// tags. refine adds what a tag cannot say.
func schema[T any](refine func(properties map[string]*jsonschema.Schema)) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("schema of %T: %v", *new(T), err)) // a type without a schema is a bug
	}
	refine(s.Properties)
	return s
}

// bounded gives an integer its least, greatest and default value.
func bounded(s *jsonschema.Schema, least, greatest, byDefault int) {
	s.Minimum, s.Maximum = new(float64(least)), new(float64(greatest))
	s.Default = []byte(strconv.Itoa(byDefault))
}

// limitLength gives a string its greatest length, in characters.
func limitLength(s *jsonschema.Schema, n int) { s.MaxLength = &n }
