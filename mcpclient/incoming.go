package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// incoming is a request of the server that is being answered. session.mu guards it.
type incoming struct {
	cancel    context.CancelFunc // ends the ctx of Host.Request
	withdrawn bool               // by the server: it is not answered
	call      int64              // the id of the only Call under way when it came; 0 when there was none or several
}

// abandon ends what the server asked because of a call that nobody waits for any more: nobody needs the
// answer. A server that takes the call back takes its question back too, but not every server does.
func (s *session) abandon(call int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range s.incoming {
		if in.call == call {
			in.cancel()
		}
	}
}

// requested handles a request of the server. It runs on the goroutine of the reader.
func (s *session) requested(r *wire.Request) {
	// "The server MUST NOT write JSON-RPC requests", and "the client MUST NOT write
	// JSON-RPC responses" (MCP 2026-07-28, stdio and Streamable HTTP).
	if s.modern.Load() {
		s.counted(&s.counts.refused,
			"refused the request %.200q, which a server of MCP %s must not send", r.Method, wire.Version20260728)
		return
	}
	// Nobody waits here for a server that does not read, and no more of its requests wait than were
	// accepted before.
	if s.out.full() {
		s.counted(&s.counts.refused,
			"left the request %.200q unanswered, because the server has not read %d messages", r.Method, maxOutgoing)
		return
	}
	// "The receiver MUST respond promptly with an empty response" (MCP
	// 2025-11-25, Ping).
	if r.Method == wire.MethodPing {
		s.respond(r.ID, json.RawMessage("{}"), nil)
		return
	}
	if !answersTo(s.told(Call{}), r.Method) {
		s.respond(r.ID, nil, wire.RPCErrorf(wire.CodeMethodNotFound, "method not found: %s", clip(r.Method)))
		return
	}
	if refusal := s.accept(r); refusal != nil {
		s.respond(r.ID, nil, refusal)
	}
}

// answersTo reports whether requests of this method are answered: those whose
// capability the server was told, and roots/list always.
func answersTo(told json.RawMessage, method string) bool {
	switch method {
	case wire.MethodListRoots:
		return true
	case wire.MethodSample:
		return rawjson.Get(told, "sampling") != nil
	case wire.MethodElicit:
		return rawjson.Get(told, "elicitation") != nil
	default:
		return false
	}
}

// accept starts to answer r, or returns why it does not.
func (s *session) accept(r *wire.Request) *wire.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// "The request ID MUST NOT have been previously used by the requestor within
	// the same session" (MCP 2025-11-25, Base Protocol, Requests).
	if s.incoming[r.ID] != nil {
		return wire.RPCErrorf(wire.CodeInvalidRequest, "a request with this id is being answered")
	}
	if len(s.incoming) >= maxIncoming {
		s.counts.refused.Add(1)
		return wire.RPCErrorf(wire.CodeInternalError, "busy: %d requests are being answered", maxIncoming)
	}
	if !s.opts.Memory.Acquire(len(r.Params)) {
		s.counts.refused.Add(1)
		return wire.RPCErrorf(wire.CodeInternalError, "busy: there is no memory left for these params")
	}
	r = &wire.Request{ID: r.ID, Method: r.Method, Params: bytes.Clone(r.Params)} // its memory is the wire's
	ctx, cancel := context.WithCancel(s.ctx)
	ids, calls := s.underWay()
	in := &incoming{cancel: cancel}
	if len(ids) == 1 {
		in.call = ids[0]
	}
	s.incoming[r.ID] = in
	s.running.Go(func() { s.answer(ctx, r, in, calls) })
	return nil
}

// answer has the host answer r and sends its answer. calls are those under way.
func (s *session) answer(ctx context.Context, r *wire.Request, in *incoming, calls []Call) {
	result, err := s.askHost(ctx, Ask{Method: r.Method, Params: r.Params, Told: s.told(Call{}), Owners: ownersOf(calls)})
	s.opts.Memory.Release(len(r.Params))
	s.mu.Lock()
	in.cancel()
	withdrawn := in.withdrawn
	delete(s.incoming, r.ID)
	if len(s.incoming) == 0 {
		for _, p := range s.pending {
			s.alive(p)
		}
	}
	s.mu.Unlock()
	// "Not send a response for the cancelled request" (MCP 2025-11-25,
	// Cancellation, Behavior Requirements).
	if !withdrawn {
		s.postWhen(s.ctx, &wire.Response{ID: r.ID, Result: result, Error: wireError(err)})
	}
}

// askHost calls the host. A panic there is an error of this one request.
func (s *session) askHost(ctx context.Context, ask Ask) (result json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.opts.Log.Error("panic while a request of the server was answered",
				zap.String("method", ask.Method), zap.Any("panic", v), zap.ByteString("stack", debug.Stack()))
			result, err = nil, errors.New("internal error")
		}
	}()
	result, err = s.opts.Host.Request(ctx, ask)
	if err == nil {
		// Invalid JSON would break the wire.
		depth, invalid := rawjson.Measure(result)
		if !rawjson.IsObject(result) || invalid != nil || depth > rawjson.MaxDepth {
			err = fmt.Errorf("the answer to %s is not a valid object of at most %d levels", ask.Method, rawjson.MaxDepth)
		}
	}
	return result, err
}

// wireError returns err as the error object of a response, nil for nil.
func wireError(err error) *wire.Error {
	if err == nil {
		return nil
	}
	if e := wire.AsRPC(err); e != nil && (e.Data == nil || rawjson.Check(e.Data) == nil) {
		return e
	}
	return wire.RPCErrorf(wire.CodeInternalError, "%v", err)
}

// notified handles a notification of the server. It runs on the goroutine of the
// reader.
func (s *session) notified(method string, params json.RawMessage) {
	switch method {
	case wire.MethodProgress:
		s.progressed(params)
		return
	case wire.MethodCancelled:
		s.withdrawn(params)
		return
	case wire.MethodAcknowledged:
		s.acknowledged(params)
		return
	case wire.MethodMessage:
		if s.logging.take(time.Now()) {
			s.log.addMessage(params)
		}
	case wire.MethodElicited:
		s.visited(params)
	case wire.MethodToolsChanged:
		s.catalog.stale(wire.ListTools)
	case wire.MethodPromptsChanged:
		s.catalog.stale(wire.ListPrompts)
	case wire.MethodResourcesChanged:
		s.catalog.stale(wire.ListResources, wire.ListResourceTemplates)
	}
	s.relay.notify(method, params)
}

// leftOut counts a notification that is not handed over, because there are too many.
func (s *session) leftOut(method string) {
	s.counted(&s.counts.leftOut, "left out a notification %.200q, because there are too many", method)
}

// withdrawn stops answering a request that the server has withdrawn.
// "Invalid cancellation notifications SHOULD be ignored" (MCP 2025-11-25,
// Cancellation, Error Handling).
func (s *session) withdrawn(params json.RawMessage) {
	id, _ := wire.ParseID(rawjson.Get(params, "requestId"))
	s.mu.Lock()
	if in := s.incoming[id]; in != nil {
		in.withdrawn = true
		in.cancel()
	}
	n, ok := id.Number()
	listens := ok && s.pending[n] != nil && s.pending[n].acknowledged != nil
	s.mu.Unlock()
	// "Server-sent cancellation notifications MUST reference a subscriptions/listen
	// request, to terminate that subscription stream" (MCP 2026-07-28, Cancellation).
	if listens {
		s.finish(n, answer{err: wire.Errorf(wire.KindGone, wire.MethodListen, "server %q has ended the subscription", s.opts.Name)})
	}
}

// clip shortens a name that a server chose, for quoting it.
func clip(name string) string { return fmt.Sprintf("%.200s", name) }

// refuseDeep refuses a message of the server that is nested too deep. It returns false for
// any other. It runs on the goroutine of the reader.
func (s *session) refuseDeep(r *wire.Request) bool {
	if r.Deep == 0 {
		return false
	}
	s.counted(&s.counts.deep, "refused %.200q: %v", r.Method, r.Deep)
	if r.IsCall() && !s.modern.Load() {
		s.respond(r.ID, nil, wire.RPCErrorf(wire.CodeInvalidParams, "the params cannot be passed on: %v", r.Deep))
	}
	return true
}
