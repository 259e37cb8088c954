package workspaceserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type rootsOutput struct {
	Roots []rootOutput `json:"roots" jsonschema:"in the client's order"`
}

type rootOutput struct {
	URI     string `json:"uri" jsonschema:"as the client spells it"`
	Name    string `json:"name,omitempty" jsonschema:"a name to show"`
	Path    string `json:"path,omitempty" jsonschema:"absolute, without symbolic links"`
	Problem string `json:"problem,omitempty" jsonschema:"why the root cannot be used; absent when it can"`
}

func rootsTool() *mcp.Tool {
	return &mcp.Tool{
		Name:         "list_roots",
		Title:        "List roots",
		Description:  "Lists the workspace folders and says which of them cannot be used. The other tools look only in these folders.",
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)},
		OutputSchema: schema[rootsOutput](nil),
	}
}

func (s *server) listRoots(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, rootsOutput, error) {
	out := rootsOutput{Roots: []rootOutput{}}
	w, ask, err := s.workspace(ctx, req, req.Params.InputResponses)
	if err != nil || ask != nil {
		return question(ask), out, err
	}
	var b strings.Builder
	for _, f := range w.folders {
		out.Roots = append(out.Roots, rootOutput{URI: f.uri, Name: f.name, Path: f.path, Problem: f.problem})
		if f.problem == "" {
			fmt.Fprintln(&b, printable(f.path))
		} else {
			fmt.Fprintf(&b, "%s: %s\n", printable(f.uri), f.problem)
		}
	}
	return textResult(b.String(), "The workspace has no folders.", false), out, nil
}
