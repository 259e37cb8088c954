package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

const (
	codeURLElicitation = -32042
	methodElicitation  = "elicitation/create"
	methodElicited     = "notifications/elicitation/complete"
)

// maxVisit is how long a person may take at the address that a server sent them to,
// before the call that waits for it is given back.
const maxVisit = 10 * time.Minute

// visit sends the person where a server wants them to be before it does what was
// asked, and tells whether the server has said that they are done there. Otherwise
// the error is the server's: who called may try again when it is time (MCP
// 2025-11-25, Elicitation, URL Elicitation Required Error).
func (s *session) visit(ctx context.Context, call Call, refusal *RPCError) (done bool, err error) {
	if s.modern.Load() || rawjson.Path(s.opts.Capabilities, "elicitation", "url") == nil {
		return false, refusal
	}
	var inputs []*input
	var ids []string
	for params := range rawjson.Elements(rawjson.Get(refusal.Data, "elicitations")) {
		id := rawjson.String(params, "elicitationId")
		// "Any elicitations returned in the error MUST be URL mode elicitations and
		// have an elicitationId property."
		if id == "" || rawjson.String(params, "mode") != "url" {
			return false, refusal
		}
		inputs = append(inputs, &input{method: methodElicitation, params: params})
		ids = append(ids, id)
	}
	if len(inputs) == 0 || len(inputs) > maxIncoming {
		return false, refusal
	}
	// From before the person is asked: the server may be faster than their editor.
	arrivals, forget := s.awaitVisits(ids)
	defer forget()
	err = s.ask(ctx, call, inputs)
	if _, unanswered := errors.AsType[*RPCError](err); unanswered {
		return false, refusal
	}
	if err != nil {
		return false, err
	}
	for _, in := range inputs {
		if rawjson.String(in.result, "action") != "accept" {
			return false, refusal
		}
	}
	late := time.NewTimer(maxVisit)
	defer late.Stop()
	for _, arrived := range arrivals {
		select {
		case <-arrived:
		case <-late.C:
			return false, refusal
		case <-ctx.Done():
			return false, gaveUp(ctx, call.Method)
		case <-s.ctx.Done():
			return false, s.gone(call.Method)
		}
	}
	return true, nil
}

// A visit is one elicitationId that calls wait for. session.mu guards it.
type visit struct {
	done  chan struct{} // closed by the server's notification
	calls int
}

// awaitVisits returns a channel for each id, which is closed when the server has said that
// the elicitation is complete.
func (s *session) awaitVisits(ids []string) (done []<-chan struct{}, forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var visits []*visit
	for _, id := range ids {
		v := s.visits[id]
		if v == nil {
			v = &visit{done: make(chan struct{})}
			s.visits[id] = v
		}
		v.calls++
		visits, done = append(visits, v), append(done, v.done)
	}
	return done, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, v := range visits {
			if v.calls--; v.calls == 0 && s.visits[ids[i]] == v {
				delete(s.visits, ids[i])
			}
		}
	}
}

// visited takes notifications/elicitation/complete. "Clients MUST ignore
// notifications referencing unknown or already-completed IDs" (ibid., Completion
// Notifications for URL Mode Elicitation).
func (s *session) visited(params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rawjson.String(params, "elicitationId")
	if v := s.visits[id]; v != nil {
		delete(s.visits, id)
		close(v.done)
	}
}
