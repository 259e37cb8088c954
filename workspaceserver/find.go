package workspaceserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of the results of find_files and search_text.
const (
	defaultResults = 100
	maxResults     = 1000
)

type findInput struct {
	Pattern string `json:"pattern" jsonschema:"the files to find: part of a path, or a glob"`
	Limit   int    `json:"limit,omitempty" jsonschema:"the maximum number of files to return"`
}

type findOutput struct {
	Files     []string `json:"files" jsonschema:"absolute paths, ordered by root, then by name"`
	Truncated bool     `json:"truncated" jsonschema:"there may be more: the search reached the limit, or the workspace is too large to search completely"`
}

func findTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  "find_files",
		Title: "Find files",
		Description: "Finds files in the workspace by name or path. " + patternRules + " An empty pattern finds every file. " +
			skipped,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)},
		InputSchema: schema[findInput](func(p map[string]*jsonschema.Schema) {
			limitLength(p["pattern"], maxPattern)
			bounded(p["limit"], 1, maxResults, defaultResults)
		}),
	}
}

func (s *server) findFiles(ctx context.Context, req *mcp.CallToolRequest, in findInput) (*mcp.CallToolResult, findOutput, error) {
	out := findOutput{Files: []string{}}
	w, ask, err := s.workspace(ctx, req, req.Params.InputResponses)
	if err != nil || ask != nil {
		return question(ask), out, err
	}
	matches, err := newPattern(in.Pattern)
	if err != nil {
		return nil, out, err
	}
	complete, err := s.walk(ctx, w, func(f file) bool {
		if !matches(f.rel) {
			return true
		}
		if len(out.Files) == in.Limit {
			out.Truncated = true
			return false
		}
		out.Files = append(out.Files, f.path)
		return true
	})
	if err != nil {
		return nil, out, fmt.Errorf("finding files: %w", err)
	}
	out.Truncated = out.Truncated || !complete

	var b strings.Builder
	for _, f := range out.Files {
		fmt.Fprintln(&b, printable(f))
	}
	return textResult(b.String(), "No file matches.", out.Truncated), out, nil
}
