package workspaceserver

import (
	"context"
	"fmt"
	"strings"
	"sync"
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
	if !multiRoundTrip(req) {
		list, err := s.roots.get(ctx, req.GetSession().(*mcp.ServerSession))
		if err != nil {
			return nil, nil, err
		}
		return newWorkspace(list), nil, nil
	}
	answer, ok := answers[rootsInput].(*mcp.ListRootsResult)
	s.roots.mu.Lock()
	if ok {
		s.roots.list = answer.Roots
	} else {
		ask = mcp.InputRequestMap{rootsInput: &mcp.ListRootsParams{}}
	}
	list := s.roots.list
	s.roots.mu.Unlock()
	return newWorkspace(list), ask, nil
}

// rootList is the client's roots as it sent them.
type rootList struct {
	mu         sync.Mutex // guards the fields that follow
	list       []*mcp.Root
	fresh      bool // list answers a question asked after the last change
	generation int  // the number of changes
}

// rootsChanged takes notifications/roots/list_changed. The SDK handles notifications
// in order, so no later request sees the old list.
func (s *server) rootsChanged(context.Context, *mcp.RootsListChangedRequest) {
	s.roots.mu.Lock()
	s.roots.fresh = false
	s.roots.generation++
	s.roots.mu.Unlock()
	s.follow.Again()
}

// followRoots asks for roots that have changed, and then tells the client that the resources have changed.
func (s *server) followRoots(ctx context.Context) {
	for session := range s.mcp.Sessions() { // the only one
		// If the client does not answer now, the next request that needs the roots asks again.
		_, _ = s.roots.get(ctx, session)
	}
	// To the SDK, adding a template again changes the list of resources.
	s.addTemplate()
}

// get returns the roots. It asks the client when they are not known.
func (r *rootList) get(ctx context.Context, session *mcp.ServerSession) ([]*mcp.Root, error) {
	r.mu.Lock()
	list, fresh, generation := r.list, r.fresh, r.generation
	r.mu.Unlock()
	if fresh {
		return list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTimeout)
	defer cancel()
	answer, err := session.ListRoots(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("asking the client for its roots: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list, r.fresh = answer.Roots, r.generation == generation
	return answer.Roots, nil
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
