package workspaceserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// rootsTimeout is how long the client may take to list its roots.
const rootsTimeout = 30 * time.Second

// rootsInput is the name of the question for the roots in the inputs of a call.
const rootsInput = "roots"

// workspace returns the folders that the client of req has now. answers are the
// input responses that came with req. When the client still has to be asked, ask
// is the question for the result.
//
// At 2026-07-28, requests that cannot carry a question (listings, completion) see
// the roots that the client sent last.
func (s *server) workspace(ctx context.Context, req clientRequest, answers mcp.InputResponseMap) (w *workspace, ask mcp.InputRequestMap, err error) {
	if can := req.ClientCapabilities(); can == nil || can.RootsV2 == nil {
		return newWorkspace([]*mcp.Root{{URI: fileuri.FromPath(s.dir)}}), nil, nil
	}
	if req.ProtocolVersion() < firstWithMRTR {
		ctx, cancel := context.WithTimeout(ctx, rootsTimeout)
		defer cancel()
		answer, err := req.GetSession().(*mcp.ServerSession).ListRoots(ctx, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("asking the client for its roots: %w", err)
		}
		return newWorkspace(answer.Roots), nil, nil
	}
	if answer, ok := answers[rootsInput].(*mcp.ListRootsResult); ok {
		s.roots.Store(&answer.Roots)
	} else {
		ask = mcp.InputRequestMap{rootsInput: &mcp.ListRootsParams{}}
	}
	return newWorkspace(*s.roots.Load()), ask, nil
}

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
		Name:        "list_roots",
		Title:       "List roots",
		Description: "Lists the workspace folders and says which of them cannot be used. The other tools look only in these folders.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)},
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
