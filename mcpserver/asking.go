package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// errCannotAnswer is what the daemon gets for a question that this agent cannot answer now. It asks
// somebody else then.
var errCannotAnswer = &editorapi.RPCError{Code: editorapi.CodeMethodNotFound, Message: "the agent does not answer this question"}

// asking returns what answers the questions of servers. capability is what the agent has to declare
// for method.
func (s *session) asking(at *attachment, method, capability string) func(context.Context, editorapi.Question) (any, error) {
	return func(ctx context.Context, q editorapi.Question) (any, error) {
		s.mu.Lock()
		var c *call
		if q.Cause != nil {
			c = s.causes[cause{at, string(q.Cause.ID)}]
		}
		if c == nil && s.legacy == nil {
			c = s.someCall(q.Server, capability)
		}
		modern := c != nil && c.modern
		var capabilities json.RawMessage
		switch {
		case modern:
			// "Servers MUST NOT send an inputRequests that the client has not declared support for in its
			// capabilities" (MCP 2026-07-28, Multi Round-Trip Requests): in those of this request.
			capabilities = c.stamp.capabilities
		case s.legacy.ready():
			capabilities = s.legacy.capabilities
		}
		s.mu.Unlock()
		if rawjson.Get(capabilities, capability) == nil {
			return nil, errCannotAnswer
		}
		if method == wire.MethodElicit && s.single() == "" {
			q.Params = attributed(q.Server, q.Params)
		}
		if modern {
			return s.askForInput(ctx, c, method, q)
		}
		answer, err := s.askAgent(ctx, method, q.Params)
		if err != nil {
			return nil, err
		}
		return answer, nil
	}
}

// attributed returns the params of an elicitation whose message says which server asks: "Applications SHOULD
// […] Provide UI that makes it clear which server is requesting information" (MCP 2025-06-18, Elicitation), and
// the agent knows but one server, which is us.
func attributed(server string, params json.RawMessage) json.RawMessage {
	message, ok := rawjson.Text(rawjson.Get(params, "message"))
	if !ok {
		return params
	}
	return rawjson.Set(params, "message", rawjson.Quote("The MCP server "+shownName(server)+" asks: "+message))
}

// someCall returns a call of the modern era with which a question goes to the agent when nobody knows which
// of several calls led to it, as with servers of the legacy era: the last one whose answer the agent waits
// for, else the last one that is parked; nil for none. Any will do, since the answer goes to who asked. The
// caller holds mu.
func (s *session) someCall(server, capability string) (last *call) {
	var at int64
	for token, c := range s.tokens {
		able := c.modern && retries(c.method) && rawjson.Get(c.stamp.capabilities, capability) != nil
		if !able || c.server != server || c.ctx.Err() != nil {
			continue
		}
		waits := c.id.IsValid()
		if last == nil || waits && !last.id.IsValid() || waits == last.id.IsValid() && token > at {
			last, at = c, token
		}
	}
	return last
}

// askAgent sends a request to an agent of the legacy era, and returns its result. If ctx ends first, the
// request is withdrawn.
func (s *session) askAgent(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	answer := make(chan *wire.Response, 1)
	s.mu.Lock()
	s.lastID++
	id := wire.NumberID(s.lastID)
	s.asked[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, id)
	}()
	s.out.send(&wire.Request{ID: id, Method: method, Params: params})
	select {
	case r := <-answer:
		switch {
		case r.Error != nil:
			return nil, &editorapi.RPCError{Code: codeOf(r.Error), Message: r.Error.Message, Data: r.Error.Data}
		case r.Deep > 0 || !rawjson.IsObject(r.Result):
			return nil, &editorapi.RPCError{Code: wire.CodeInternalError, Message: fmt.Sprintf("the agent's answer to %s is not an object that can be passed on", method)}
		}
		return r.Result, nil
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	// "When a party wants to cancel an in-progress request, it sends a notifications/cancelled
	// notification" (MCP 2025-11-25, Cancellation).
	s.out.send(&wire.Request{Method: wire.MethodCancelled, Params: rawjson.Set(nil, "requestId", []byte(id.String()))})
	return nil, context.Canceled
}

// codeOf returns the code of an error, which is the agent's own or one of reading it.
func codeOf(e *wire.Error) int64 {
	if e.Kind == wire.KindRPC {
		return e.Code
	}
	return wire.CodeInternalError
}

// answered hands the agent's answer to who asked. One to no question is ignored.
func (s *session) answered(r *wire.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting := s.asked[r.ID]; waiting != nil {
		delete(s.asked, r.ID)
		waiting <- r
	}
}
