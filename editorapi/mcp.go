package editorapi

import (
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxTimeout is the longest time limit that a call may ask for.
const maxTimeout = 24 * time.Hour

// mcpEnvelope is the params of mcp/<method> (editor protocol, section 3).
type mcpEnvelope struct {
	Server        string          `json:"server"`
	Params        json.RawMessage `json:"params"`
	Context       *Context        `json:"context"`
	Timeout       *float64        `json:"timeout"` // ms
	WorkDoneToken json.RawMessage `json:"workDoneToken"`
}

// readEnvelope reads the envelope; params that are null count as absent.
func readEnvelope(raw json.RawMessage) (e mcpEnvelope, err error) {
	if err := decode(raw, &e, ""); err != nil {
		return e, err
	}
	if string(e.Params) == "null" {
		e.Params = nil
	}
	switch {
	case e.Server == "":
		return e, errorf(KindInvalidParams, "server", "the member server is missing; name the server that the message is for")
	case e.Params != nil && !rawjson.IsObject(e.Params):
		return e, errorf(KindInvalidParams, "params", "the member params is not an object; MCP has no other params")
	}
	return e, nil
}

// timeout returns the time limit of a call, 0 when the envelope has none.
func (e mcpEnvelope) timeout() (time.Duration, error) {
	if e.Timeout == nil {
		return 0, nil
	}
	if ms := *e.Timeout; ms > 0 && ms <= float64(maxTimeout/time.Millisecond) {
		return max(time.Duration(ms*float64(time.Millisecond)), 1), nil
	}
	return 0, errorf(KindInvalidParams, "timeout", "the member timeout is not a number of milliseconds above 0 and up to a day; correct it or leave it out")
}

// mcpRequest serves mcp/<method>. The result is the server's, byte for byte.
func (s *session) mcpRequest(r *request, method string) (any, error) {
	e, err := readEnvelope(r.params)
	if err != nil {
		return nil, err
	}
	timeout, err := e.timeout()
	if err != nil {
		return nil, err
	}
	switch method {
	case "initialize":
		return nil, errorf(KindInvalidParams, "method", "the daemon initializes servers itself; send any other MCP request, or editord/restartServer for a new session")
	case "roots/list":
		return s.attachment.Roots(e.Server)
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		if rawjson.Get(e.Params, "cursor") != nil {
			return nil, errorf(KindInvalidParams, "params.cursor", "lists come whole, all pages joined; leave the cursor out")
		}
	}
	if method == "tools/call" {
		e.Params = s.fillCall(r, e)
	}
	progress, err := s.follow(r, e.WorkDoneToken, callTitle(e.Server, method, e.Params), false)
	if err != nil {
		return nil, err
	}
	return s.attachment.Call(r.ctx, Call{
		Server:   e.Server,
		Method:   method,
		Params:   e.Params,
		Timeout:  timeout,
		Progress: progress,
		Cause:    Cause{ID: r.rawID()},
	})
}

// fillCall returns the params of a tools/call with the arguments that the
// configuration binds. What is not a call of a tool of the catalogue is for the server to judge.
func (s *session) fillCall(r *request, e mcpEnvelope) json.RawMessage {
	arguments := object(rawjson.Get(e.Params, "arguments"))
	if arguments != nil && !rawjson.IsObject(arguments) {
		return e.Params
	}
	key := keyOf(kindTool, e.Server, e.Params)
	bound := s.attachment.Bound(key.server, key.name, e.Context)
	if len(bound) == 0 {
		return e.Params
	}
	c, err := s.commands.named(r.ctx, s.attachment, key)
	if err != nil || c == nil {
		return e.Params
	}
	return rawjson.Set(e.Params, "arguments", fill(c, arguments, bound))
}

// callTitle says in a progress what is under way.
func callTitle(server, method string, params json.RawMessage) string {
	if name := rawjson.String(params, "name"); name != "" {
		return server + ": " + name
	}
	return server + ": " + method
}

// mcpNotification sends on mcp/notifications/….
func (s *session) mcpNotification(method string, params json.RawMessage) {
	e, err := readEnvelope(params)
	if err == nil {
		err = s.attachment.Notify(s.peer.ctx, e.Server, method, e.Params)
	}
	if err != nil {
		s.peer.log.Warn("a notification for a server was dropped", zap.String("method", method), zap.String("server", e.Server), zap.Error(err))
	}
}
