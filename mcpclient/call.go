package mcpclient

import (
	"context"
	"encoding/json"

	"github.com/mcp-editord/mcp-editord/internal/paramheader"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxRounds is how many rounds of input one call may take.
const maxRounds = 10

// whole makes a Call, from its first request to its last.
func (s *session) whole(ctx context.Context, call Call) (json.RawMessage, error) {
	if err := s.enterCall(); err != nil {
		return nil, err
	}
	defer s.leaveCall()
	result, err := s.send(ctx, call, call.Params)
	return s.rounds(ctx, call, result, err)
}

// isLast reports whether an answer to a Call is what the Call returns at once: no round follows it, no
// other session is tried, and the session does not end with it.
func (s *session) isLast(result json.RawMessage, err error) bool {
	if err == nil {
		return !s.mayWantInput(result)
	}
	switch e := wire.AsError(err, wire.KindGone, ""); e.Kind {
	case wire.KindRPC:
		return e.Code != wire.CodeUnsupportedVersion && e.Code != wire.CodeURLElicitation && e.Code != wire.CodeHeaderMismatch
	case wire.KindSessionLost, wire.KindNotReady, wire.KindSignInNeeded, wire.KindUnauthorized:
		return false
	default:
		return true
	}
}

// rounds goes on after the first answer to a Call. As long as the server answers that it needs
// something first, and so has not done what was asked, rounds sends it again, each time as a request
// of its own.
func (s *session) rounds(ctx context.Context, call Call, result json.RawMessage, err error) (json.RawMessage, error) {
	v := &visitor{s: s, call: call}
	defer v.end()
	params, rounds, relisted := call.Params, 0, false
	for sent := 0; ; sent++ {
		if wire.KindOf(err) == wire.KindNotReady && sent > 0 {
			err = s.gone(call.Method) // the session has ended between two rounds
		}
		refusal := wire.AsRPC(err)
		var more bool
		switch {
		case refusal != nil && refusal.Code == wire.CodeUnsupportedVersion && s.modern.Load():
			// The server has become another one: "re-probing if the cached assumption later
			// fails" (MCP 2026-07-28, Versioning).
			lost := wire.Errorf(wire.KindSessionLost, wire.MethodDiscover, "server %q no longer speaks %s: %.500s", s.opts.Name, wire.Version20260728, refusal.Message)
			s.end(lost)
			return nil, lost
		case refusal != nil && refusal.Code == wire.CodeURLElicitation:
			more, err = v.visit(ctx, refusal)
		case refusal != nil && refusal.Code == wire.CodeHeaderMismatch && !relisted:
			// "The client SHOULD call tools/list to check for changes to the tool's
			// inputSchema, then retry the original request with the appropriate
			// headers" (MCP 2026-07-28, Streamable HTTP, Client Behavior).
			relisted = true
			more, err = s.relist(ctx, call, refusal)
		case err == nil:
			params, more, err = s.inputs(ctx, call, result, rounds)
			rounds++
		}
		if err != nil {
			return nil, err
		}
		if !more {
			return result, nil
		}
		result, err = s.send(ctx, call, params)
	}
}

// send sends one request of a Call and waits for its end.
func (s *session) send(ctx context.Context, call Call, params json.RawMessage) (json.RawMessage, error) {
	return s.roundTrip(ctx, s.pendingFor(call, params), params)
}

// pendingFor returns the request of a Call with these params.
func (s *session) pendingFor(call Call, params json.RawMessage) *pending {
	p := &pending{method: call.Method, caller: true, owner: call.Owner, told: call.told, progress: call.Progress, timeout: call.Timeout}
	if call.Method == wire.MethodCallTool && s.mirrors() {
		// A tool whose definition is wrong is not offered, so there is no error here.
		p.mirrored, _ = paramheader.Of(s.catalog.mirrored(rawjson.String(params, "name")), rawjson.Get(params, "arguments"))
	}
	return p
}

// mirrors reports whether arguments of tools are mirrored into headers.
func (s *session) mirrors() bool { return s.modern.Load() && s.wire.Streamable() }

// relist reads the tools again, after a call of one of them was refused for its headers. It reports
// whether the call is worth another try.
func (s *session) relist(ctx context.Context, call Call, refusal *wire.Error) (again bool, err error) {
	if call.Method != wire.MethodCallTool || !s.mirrors() {
		return false, refusal
	}
	s.catalog.stale(wire.ListTools)
	if _, err := s.catalog.list(ctx, s, wire.ListTools); err != nil {
		return false, refusal
	}
	return true, nil
}
