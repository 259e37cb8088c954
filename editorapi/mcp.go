package editorapi

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxTimeout is the longest time limit that a call may ask for.
const maxTimeout = 24 * time.Hour

// checkEnvelope checks what all envelopes have in common; params that are null count as absent.
func checkEnvelope(server string, params *json.RawMessage) error {
	if string(*params) == "null" {
		*params = nil
	}
	switch {
	case server == "":
		return invalidMember("server", "is missing; name the server that the message is for")
	case *params != nil && !rawjson.IsObject(*params):
		return invalidMember("params", "is not an object; MCP has no other params")
	}
	return nil
}

// read reads e from params, which are valid JSON. Its raw members alias them. The errors are those of
// [decode].
func (e *MCPRequest) read(params []byte) (err error) {
	if len(params) == 0 || string(params) == "null" {
		return nil
	}
	if !rawjson.IsObject(params) {
		return notA("an object", "params")
	}
	_, _ = rawjson.Scan(params, func(name, value []byte) {
		switch {
		case err != nil: // the first one counts
		case string(name) == "server":
			if s, ok := rawjson.Text(value); ok {
				e.Server = s
			} else if string(value) != "null" {
				err = notA("a string", "server")
			}
		case string(name) == "params":
			e.Params = value
		case string(name) == "context":
			var context *Context
			err = decode(value, &context, "context")
			e.Context = context
		case string(name) == "timeout":
			var timeout *float64
			err = decode(value, &timeout, "timeout")
			e.Timeout = timeout
		case string(name) == "capabilities":
			e.Capabilities = value
		case string(name) == "workDoneToken":
			e.WorkDoneToken = value
		case string(name) == "progressToken":
			e.ProgressToken = value
		}
	})
	return err
}

// timeout returns the time limit of a call, 0 when there is none.
func (e MCPRequest) timeout() (time.Duration, error) {
	if e.Timeout == nil {
		return 0, nil
	}
	if ms := *e.Timeout; ms > 0 && ms <= float64(maxTimeout/time.Millisecond) {
		return max(time.Duration(ms*float64(time.Millisecond)), 1), nil
	}
	return 0, invalidMember("timeout", "is not a number of milliseconds above 0 and up to a day; correct it or leave it out")
}

// passes implements [served]: most of mcp/<method> is only passed on. The rest is answered here, may
// have to wait for a disk or a list, or keeps an order of its own.
func (s *session) passes(method string) bool {
	method, ok := strings.CutPrefix(method, mcpPrefix)
	if !ok || !s.attached() {
		return false
	}
	switch method {
	case "initialize", "roots/list", "tools/list", "prompts/list", "resources/list", "resources/templates/list",
		"resources/subscribe", "resources/unsubscribe":
		return false
	}
	return !strings.HasPrefix(method, notifications)
}

// begin implements [served].
func (s *session) begin(r *request, later *cork.Cork) {
	var e MCPRequest
	if err := e.read(r.params); err != nil {
		r.done(nil, err, nil)
		return
	}
	call, err := s.mcpCall(r, &e)
	if err != nil {
		r.done(nil, err, nil)
		return
	}
	if call.Method == "tools/call" {
		call.Params, call.Bound = s.fillCall(e)
	}
	r.aborts(s.attachment.Begin(call, later, s.ending(r, call.Method, call.Params)))
}

// mcpRequest serves those of mcp/<method> that are not only passed on. The result is the server's,
// byte for byte.
func (s *session) mcpRequest(r *request, e MCPRequest) (json.RawMessage, error) {
	call, err := s.mcpCall(r, &e)
	if err != nil {
		return nil, err
	}
	switch call.Method {
	case "initialize":
		return nil, errorf(KindInvalidParams, "method", "the daemon initializes servers itself; send any other MCP request, or editord/restartServer for a new session")
	case "roots/list":
		return s.attachment.Roots(e.Server)
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		if rawjson.Get(e.Params, "cursor") != nil {
			return nil, errorf(KindInvalidParams, "params.cursor", "lists come whole, all pages joined; leave the cursor out")
		}
	}
	call.Answered = r.answered
	return s.attachment.Call(r.ctx, call)
}

// mcpCall checks the envelope of r and returns the call for it.
func (s *session) mcpCall(r *request, e *MCPRequest) (Call, error) {
	method := strings.TrimPrefix(r.method, mcpPrefix)
	if err := checkEnvelope(e.Server, &e.Params); err != nil {
		return Call{}, err
	}
	timeout, err := e.timeout()
	if err != nil {
		return Call{}, err
	}
	progress, err := s.progressOf(r, method, e)
	if err != nil {
		return Call{}, err
	}
	call := Call{
		Server:   e.Server,
		Method:   method,
		Params:   e.Params,
		Timeout:  timeout,
		Progress: progress,
		Cause:    Cause{ID: r.rawID()},
	}
	if !rawjson.IsAbsent(e.Capabilities) {
		able, err := readCapabilities(e.Capabilities, "capabilities.")
		if err != nil {
			return Call{}, err
		}
		call.Capabilities = &able
	}
	return call, nil
}

// progressOf returns what takes the progress of the call, nil when nobody looks.
func (s *session) progressOf(r *request, method string, e *MCPRequest) (func(json.RawMessage), error) {
	shown, relayed := !rawjson.IsAbsent(e.WorkDoneToken), !rawjson.IsAbsent(e.ProgressToken)
	switch {
	case shown && relayed:
		return nil, invalidMember("progressToken", "came together with workDoneToken; progress arrives in one form, so leave one of them out")
	case shown:
		return s.follow(r, e.WorkDoneToken, e.Server+": "+cmp.Or(rawjson.String(e.Params, "name"), method))
	case relayed:
		return s.relayProgress(r, e.Server, e.ProgressToken)
	default:
		return nil, nil
	}
}

// fillCall returns the params of a tools/call with the arguments that the configuration binds, and the
// names of these. If they do not call a tool in the catalog, it leaves them for the server to judge.
func (s *session) fillCall(e MCPRequest) (params json.RawMessage, names []string) {
	arguments := object(rawjson.Get(e.Params, "arguments"))
	if arguments != nil && !rawjson.IsObject(arguments) {
		return e.Params, nil
	}
	key := keyOf(calldoc.Tool, e.Server, e.Params)
	bound := s.attachment.Bound(key.server, key.name, e.Context)
	if len(bound) == 0 {
		return e.Params, nil
	}
	c := s.offered(key)
	if c == nil {
		return e.Params, nil
	}
	filled := fill(c, arguments, bound)
	return rawjson.Set(e.Params, "arguments", filled), added(arguments, filled)
}

// mcpNotification passes on mcp/notifications/…. method is valid until it returns.
func (s *session) mcpNotification(method string, params json.RawMessage) error {
	var e MCPNotification
	if err := decode(params, &e, ""); err != nil {
		return err
	}
	if err := checkEnvelope(e.Server, &e.Params); err != nil {
		return err
	}
	method = strings.Clone(strings.TrimPrefix(method, mcpPrefix))
	return s.attachment.Notify(s.peer.ctx, e.Server, method, e.Params)
}
