package workspaceserver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
		return folderWorkspace(s.dir), nil, nil
	}
	if !multiRoundTrip(req) {
		list, err := s.roots.get(ctx, req.GetSession().(*mcp.ServerSession))
		if err != nil {
			return nil, nil, err
		}
		return newWorkspace(list), nil, nil
	}
	if answer, ok := answers[rootsInput].(*mcp.ListRootsResult); ok {
		s.roots.tell(answer.Roots)
		return newWorkspace(answer.Roots), nil, nil
	}
	return newWorkspace(s.roots.last()), mcp.InputRequestMap{rootsInput: &mcp.ListRootsParams{}}, nil
}

// followRoots asks for the roots whenever they change, and then tells the
// client that the resources have changed. It returns when ctx ends.
func (s *server) followRoots(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case session := <-s.roots.changes:
			// If the client does not answer now, the next request that needs the roots asks again.
			_, _ = s.roots.get(ctx, session)
			// To the SDK, adding a template again changes the list of resources.
			s.addTemplate()
		}
	}
}

// rootList is the client's roots as it sent them.
type rootList struct {
	changes chan *mcp.ServerSession // the session whose roots have changed; holds one
	asking  chan struct{}           // holds an element while a question to the client is open

	mu         sync.Mutex // guards the fields that follow
	list       []*mcp.Root
	fresh      bool // list answers a question asked after the last change
	generation int  // the number of changes
}

func newRootList() *rootList {
	return &rootList{changes: make(chan *mcp.ServerSession, 1), asking: make(chan struct{}, 1)}
}

// changed takes notifications/roots/list_changed. The SDK handles notifications
// in order, so no later request sees the old list.
func (r *rootList) changed(_ context.Context, req *mcp.RootsListChangedRequest) {
	r.mu.Lock()
	r.fresh = false
	r.generation++
	r.mu.Unlock()
	select {
	case r.changes <- req.Session:
	default: // the waiting one counts for both
	}
}

// get returns the roots. It asks the client when they are not known.
func (r *rootList) get(ctx context.Context, session *mcp.ServerSession) ([]*mcp.Root, error) {
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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

// tell takes a list that came with a request.
func (r *rootList) tell(list []*mcp.Root) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = list
}

// last returns the list that came last.
func (r *rootList) last() []*mcp.Root {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}
