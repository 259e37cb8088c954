package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A call is a request of the agent while it is served. One of the modern era may be answered in between
// and wait for a retry: then it is parked.
type call struct {
	method string
	params json.RawMessage // as the agent wrote them
	modern bool
	stamp  stamp // of the modern era

	ctx    context.Context
	cancel context.CancelFunc

	// session.mu guards the fields that follow.
	id        wire.ID         // of the agent's request that waits for an answer; the zero ID while parked, and once cancelled
	server    string          // that it went to
	token     json.RawMessage // of the agent, for progress; nil for none
	state     string          // its requestState, while parked
	expiry    *time.Timer     // likewise
	questions []*question     // that are not answered, in the order in which they came
	gathering bool            // questions that come together are collected
	outcome   *outcome        // of a call that ended while it was parked
}

// An outcome is what a call ends with.
type outcome struct {
	result json.RawMessage
	err    *wire.Error
}

// A cause is the name of a call at the daemon, for as long as it is attached.
type cause struct {
	at *attachment
	id string
}

// requested begins to serve a request.
func (s *session) requested(r *wire.Request) {
	stamp, modern, refusal := readStamp(r.Params)
	if r.Method == wire.MethodInitialize && !modern {
		s.initialize(r)
		return
	}
	if refusal == nil && !modern {
		refusal = s.refuseEarly(r.Method)
	}
	if refusal != nil {
		s.respond(r.ID, nil, refusal)
		return
	}
	if modern {
		s.link.identify(s.identityOf(stamp))
		if retries(r.Method) && rawjson.Get(r.Params, "requestState") != nil {
			s.resume(r, stamp)
			return
		}
		if r.Method == wire.MethodListen {
			s.beginListen(r)
			return
		}
	}
	c := &call{method: r.Method, params: r.Params, modern: modern, stamp: stamp, id: r.ID, token: tokenOf(r.Params)}
	if refusal := s.admit(c); refusal != nil {
		s.respond(r.ID, nil, refusal)
		return
	}
	s.calling.Add(1)
	s.spawn(func() {
		defer s.calling.Done()
		result, err := s.guard(c)
		s.finish(c, result, err)
	})
}

// tokenOf returns the progress token of a request, nil for none.
func tokenOf(params json.RawMessage) json.RawMessage {
	token := rawjson.Path(params, "_meta", "progressToken")
	if _, ok := wire.ParseID(token); !ok { // "Progress tokens MUST be a string or integer value"
		return nil
	}
	return token
}

// admit enters a call among those under way.
func (s *session) admit(c *call) *wire.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// "The request ID MUST NOT match the ID of any other request the sender has issued and not yet
	// received a response for" (MCP 2026-07-28, Overview, Requests).
	if s.calls[c.id] != nil || s.listens[c.id] != nil {
		return wire.RPCErrorf(wire.CodeInvalidRequest, "a request with the id %v is under way; use another id", c.id)
	}
	if len(s.calls)+len(s.parked) >= maxCalls {
		return wire.RPCErrorf(wire.CodeInternalError, "busy: %d requests are under way; wait for some of them, or cancel them", maxCalls)
	}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	s.calls[c.id] = c
	return nil
}

// guard serves a call. A panic costs this one call.
func (s *session) guard(c *call) (result json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.o.Log.Error("a request panicked", zap.String("method", c.method), zap.Any("panic", v), zap.ByteString("stack", debug.Stack()))
			result, err = nil, fmt.Errorf("mcp-editord made a mistake with %.100q", c.method)
		}
	}()
	return s.serve(c)
}

// finish answers a call with what it has ended with. A call that is parked keeps that for its retry.
func (s *session) finish(c *call, result json.RawMessage, err error) {
	o := s.outcomeOf(c, result, err)
	s.mu.Lock()
	id := c.id
	if id.IsValid() {
		s.forget(c)
	} else {
		c.outcome = &o
	}
	s.mu.Unlock()
	c.cancel()
	if id.IsValid() && s.ctx.Err() == nil {
		s.respond(id, o.result, o.err)
	}
	s.link.calm()
}

// forget removes a call from those under way. The caller holds mu.
func (s *session) forget(c *call) {
	delete(s.calls, c.id)
	if c.state != "" {
		delete(s.parked, c.state)
		c.state = ""
		c.expiry.Stop()
	}
}

// cancelled handles notifications/cancelled of the agent. "Invalid cancellation notifications SHOULD be
// ignored" (MCP 2026-07-28, Cancellation, Error Handling).
func (s *session) cancelled(params json.RawMessage) {
	id, ok := wire.ParseID(rawjson.Get(params, "requestId"))
	if !ok {
		return
	}
	s.mu.Lock()
	c, l := s.calls[id], s.listens[id]
	// "Servers receiving cancellation notifications SHOULD […] not send a response for the cancelled
	// request" (MCP 2026-07-28, Cancellation). So the agent may use the id again.
	if c != nil {
		delete(s.calls, id)
		c.id = wire.ID{}
	}
	s.mu.Unlock()
	if c != nil {
		c.cancel()
	}
	if l != nil {
		s.endListen(l)
	}
}

// outcomeOf returns what a call ends with, as the agent gets it. A server's error stays as it is. The
// daemon's own are results of tools/call, since models read these: "Any errors that originate from the
// tool SHOULD be reported inside the result object, with isError set to true, not as an MCP
// protocol-level error response. Otherwise, the LLM would not be able to see that an error occurred and
// self-correct" (MCP 2025-11-25, schema, CallToolResult). For all else they are JSON-RPC errors.
func (s *session) outcomeOf(c *call, result json.RawMessage, err error) outcome {
	var answered *wire.Error
	var theirs *editorapi.RPCError
	switch {
	case err == nil && c.modern:
		return outcome{result: completed(result)}
	case err == nil:
		return outcome{result: result}
	case errors.As(err, &answered):
		return outcome{err: inEra(c, *answered)}
	case errors.As(err, &theirs):
		return outcome{err: inEra(c, wire.Error{Kind: wire.KindRPC, Code: theirs.Code, Message: theirs.Message, Data: theirs.Data})}
	}
	own := ownError(err)
	if c.method == wire.MethodCallTool {
		return s.outcomeOf(c, refusal("%s", own.Message), nil)
	}
	code := int64(wire.CodeInternalError)
	if own.Kind.Code() == wire.CodeInvalidParams {
		code = wire.CodeInvalidParams
	}
	e := wire.RPCErrorf(code, "%s", own.Message)
	e.Data, _ = json.Marshal(own) // strings
	return outcome{err: e}
}

// inEra returns an error with the code that the era of c has for it. "Implementations of this protocol
// version MUST NOT emit these codes: -32002 — resource not found (2025-11-25 and earlier; replaced by
// -32602)" (MCP 2026-07-28, Overview, Error Codes).
func inEra(c *call, e wire.Error) *wire.Error {
	if c.modern && e.Code == codeResourceNotFound && c.method == wire.MethodReadResource {
		e.Code = wire.CodeInvalidParams
	}
	return &e
}

// ownError returns err as an error of the daemon.
func ownError(err error) *editorapi.Error {
	var own *editorapi.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, editorapi.ErrDaemonGone):
		return &editorapi.Error{Kind: editorapi.KindServerGone, Message: "the daemon of mcp-editord ended during the call, which may have had an effect; it is not repeated"}
	default:
		return &editorapi.Error{Kind: editorapi.KindInternal, Message: err.Error()}
	}
}

// answeredBy reports whether err is an answer of the daemon or of a server.
func answeredBy(err error) bool {
	return errors.As(err, new(*editorapi.Error)) || errors.As(err, new(*editorapi.RPCError))
}
