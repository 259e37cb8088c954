package mcpclient

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// inputs looks at a result, and leaves a complete one alone. When the server needs input,
// it gets that input and returns the params for the next round, with more set (MCP
// 2026-07-28, Multi Round-Trip Requests). rounds is how many there have been: after
// maxRounds it asks for no more input, which would not be sent.
func (s *session) inputs(ctx context.Context, call Call, result json.RawMessage, rounds int) (params json.RawMessage, more bool, err error) {
	if !s.mayWantInput(result) {
		return nil, false, nil
	}
	switch kind := rawjson.Get(result, "resultType"); {
	case !s.modern.Load() && (kind != nil || !rawjson.IsObject(rawjson.Get(result, "inputRequests"))):
		return nil, false, nil // the legacy era has no such thing
	case !s.modern.Load():
		// A server of both eras turns input that a tool needs into requests of the
		// legacy era, and some do so for the first round alone.
	case string(kind) != `"input_required"`:
		if rawjson.Get(s.told(call), "extensions") != nil {
			return nil, false, nil // it may be a type of one of them
		}
		// "A resultType of any value unrecognized by the client MUST be considered invalid".
		return nil, false, wire.Errorf(wire.KindInvalidResult, "resultType", "server %q answered %s with a result of the unknown type %.100s", s.opts.Name, call.Method, kind)
	}
	switch call.Method {
	case wire.MethodCallTool, wire.MethodGetPrompt, wire.MethodReadResource:
	default:
		// "Servers MUST NOT send InputRequiredResult responses on any other client
		// requests".
		return nil, false, wire.Errorf(wire.KindInvalidResult, "resultType", "server %q wants input for %s, which takes none", s.opts.Name, call.Method)
	}
	requests, state := rawjson.Get(result, "inputRequests"), rawjson.Get(result, "requestState")
	if string(requests) == "null" {
		requests = nil // some servers write null for none
	}
	if requests == nil && state == nil {
		return nil, false, wire.Errorf(wire.KindInvalidResult, "inputRequests", "server %q wants input for %s and does not say which", s.opts.Name, call.Method)
	}
	if rounds >= maxRounds {
		return nil, false, wire.Errorf(wire.KindInvalidResult, "resultType", "server %q has asked for input to %s %d times and is not asked again", s.opts.Name, call.Method, rounds)
	}
	params = call.Params
	if requests != nil {
		if !s.opts.Memory.Acquire(len(result)) { // which is kept while the user thinks
			return nil, false, s.noMemory(len(result))
		}
		responses, err := s.gather(ctx, call, requests)
		s.opts.Memory.Release(len(result))
		if err != nil {
			return nil, false, err
		}
		params = rawjson.Set(params, "inputResponses", responses)
	}
	// "The client MUST echo back the exact value of that field when retrying the
	// original request […] If the InputRequiredResult does not contain a requestState
	// field, the client MUST NOT include one in the retry."
	if state != nil {
		params = rawjson.Set(params, "requestState", state)
	}
	return params, true, nil
}

// mayWantInput reports whether inputs has to look at a result more closely.
func (s *session) mayWantInput(result json.RawMessage) bool {
	if s.modern.Load() {
		return !complete(result)
	}
	return rawjson.Get(result, "inputRequests") != nil
}

// complete reports whether a result of the modern era needs nothing more.
// "For backward compatibility with servers implementing earlier protocol versions,
// which do not include resultType, clients MUST treat an absent resultType as
// complete" (MCP 2026-07-28, Overview, ResultType).
func complete(result json.RawMessage) bool {
	kind := rawjson.Get(result, "resultType")
	return kind == nil || string(kind) == `"complete"`
}

// An input is one member of inputRequests.
type input struct {
	key            string
	method         string
	params, result json.RawMessage
}

// gather has the host answer all input requests, at the same time, and returns the
// inputResponses.
func (s *session) gather(ctx context.Context, call Call, requests json.RawMessage) (json.RawMessage, error) {
	var inputs []*input
	for key, request := range rawjson.Members(requests) {
		in := &input{key: key, method: rawjson.String(request, "method"), params: rawjson.Get(request, "params")}
		// "Servers MUST NOT send an inputRequests that the client has not declared
		// support for in its capabilities."
		if !answersTo(s.told(call), in.method) {
			return nil, wire.Errorf(wire.KindInvalidResult, "inputRequests", "server %q wants %.100q for %s, which no editor here has declared", s.opts.Name, in.method, call.Method)
		}
		inputs = append(inputs, in)
	}
	if !rawjson.IsObject(requests) || len(inputs) > maxIncoming {
		return nil, wire.Errorf(wire.KindInvalidResult, "inputRequests", "server %q wants input for %s that is not an object of at most %d requests", s.opts.Name, call.Method, maxIncoming)
	}
	if err := s.ask(ctx, call, inputs); err != nil {
		return nil, err
	}
	responses := json.RawMessage("{}")
	for _, in := range inputs {
		responses = rawjson.Set(responses, in.key, in.result)
	}
	return responses, nil
}

// ask has the host answer inputs of a call, all at the same time. When one of them
// fails, it withdraws the others.
func (s *session) ask(ctx context.Context, call Call, inputs []*input) error {
	told, owners := s.told(call), ownersOf([]Call{call})
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(s.gone(call.Method)) })()
	var all sync.WaitGroup
	for _, in := range inputs {
		all.Go(func() {
			result, err := s.askHost(asking, Ask{Method: in.method, Params: in.params, Key: in.key, Told: told, Owners: owners})
			if err != nil {
				cancel(unanswered(s.opts.Name, call.Method, in.method, err)) // the first cause counts
			}
			in.result = result
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return gaveUp(ctx, call.Method)
	}
	return context.Cause(asking)
}

// unanswered is the error of a call that failed because a question of the server did.
// The code is that of the answer.
func unanswered(name, method, question string, err error) error {
	code := int64(wire.CodeInternalError)
	if e := wire.AsRPC(err); e != nil {
		code = e.Code
	}
	return wire.RPCErrorf(code, "server %q needs an answer to %s for %s, and there is none: %s", name, question, method, err)
}
