package mcpserver

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// callTool serves tools/call.
func (s *session) callTool(c *call) (json.RawMessage, error) {
	if s.o.Lazy {
		return s.callLazily(c)
	}
	to, err := s.named(c, wire.ListTools, c.params)
	if err != nil {
		return nil, err
	}
	return s.callTarget(c, to, c.params)
}

// callLazily serves tools/call of the tools that find, describe and call the others.
func (s *session) callLazily(c *call) (json.RawMessage, error) {
	name, given := rawjson.String(c.params, "name"), rawjson.Get(c.params, "arguments")
	answer, to, arguments := s.shelf.settled(c.ctx).lazyCall(name, given)
	switch {
	case answer != nil:
		return answer, nil
	case to.server == "":
		return nil, unknown(wire.ListTools, c.params)
	}
	params := rawjson.Delete(c.params, "arguments")
	if arguments != nil {
		params = rawjson.Set(params, "arguments", arguments)
	}
	return s.callTarget(c, to, params)
}

// callTarget calls a tool. A large result goes into files.
func (s *session) callTarget(c *call, to target, params json.RawMessage) (json.RawMessage, error) {
	result, err := s.pass(c, to.server, renamed(params, to.name))
	if err != nil || s.o.ResultLimit <= 0 || len(result) <= s.o.ResultLimit {
		return result, err
	}
	result, failure := to.shrink(result, s.o.ResultLimit, s.o.ResultDir)
	if failure != nil { // the agent gets all of it
		s.o.Log.Warn("a large result could not be put into a file", zap.Error(failure))
	}
	return result, nil
}

// unknown is the error for a name that no server has. from has the name. "Protocol Errors: Standard JSON-RPC
// errors for issues like: Unknown tools", and "Invalid prompt name", both with -32602 (MCP 2025-11-25, Tools and
// Prompts, Error Handling).
func unknown(kind wire.ListKind, from json.RawMessage) *wire.Error {
	name, ok := rawjson.Text(rawjson.Get(from, "name"))
	if !ok {
		return wire.RPCErrorf(wire.CodeInvalidParams, "the member name is missing, or not a string")
	}
	return wire.RPCErrorf(wire.CodeInvalidParams, "Unknown %s: %s", kind.Item(), echo(name))
}

// getPrompt serves prompts/get.
func (s *session) getPrompt(c *call) (json.RawMessage, error) {
	to, err := s.named(c, wire.ListPrompts, c.params)
	if err != nil {
		return nil, err
	}
	return s.pass(c, to.server, renamed(c.params, to.name))
}

// readResource serves resources/read.
func (s *session) readResource(c *call) (json.RawMessage, error) {
	server, err := s.owner(c, rawjson.String(c.params, "uri"))
	if err != nil {
		return nil, err
	}
	result, err := s.pass(c, server, c.params)
	if err == nil && c.modern {
		result = uncached(result)
	}
	return result, err
}

// complete serves completion/complete: the reference names a prompt or a template.
func (s *session) complete(c *call) (json.RawMessage, error) {
	ref := rawjson.Get(c.params, "ref")
	if rawjson.String(ref, "type") == "ref/resource" {
		server, err := s.owner(c, rawjson.String(ref, "uri"))
		if err != nil {
			return nil, err
		}
		return s.pass(c, server, c.params)
	}
	to, err := s.named(c, wire.ListPrompts, ref)
	if err != nil {
		return nil, err
	}
	params := c.params
	if to.name != rawjson.String(ref, "name") {
		params = rawjson.Set(params, "ref", renamed(ref, to.name))
	}
	return s.pass(c, to.server, params)
}

// named returns the tool or prompt that from names. One that is not known may be that of a server that is starting.
// The request for its list has the daemon wait for that, as long as the server may take to start, and tell the agent by
// progress what it waits for.
func (s *session) named(c *call, kind wire.ListKind, from json.RawMessage) (target, error) {
	name := rawjson.String(from, "name")
	catalog := s.shelf.await(c.ctx, time.Now().Add(listPatience), s.shelf.there)
	to, known := catalog.target(kind, name)
	if server := s.single(); server != "" && !known { // it may know more than it lists
		return target{server: server, name: name}, nil
	}
	for _, server := range catalog.starting(name) {
		if known {
			break
		}
		at, err := s.link.attached(c.ctx)
		if err == nil {
			_, _, err = s.passTo(at, c, kind.Method(), server, nil)
		}
		if err != nil {
			return target{}, err
		}
		s.shelf.renew(at)
		to, known = s.shelf.current().target(kind, name)
	}
	if !known {
		return target{}, unknown(kind, from)
	}
	return to, nil
}

// owner returns the server that a resource belongs to.
func (s *session) owner(c *call, uri string) (server string, err error) {
	meta := rawjson.Get(c.params, "_meta")
	server, refusal := s.shelf.current().resource(uri, meta)
	if refusal != nil { // a server that is seen for the first time may have it
		if server, refusal = s.shelf.settled(c.ctx).resource(uri, meta); refusal != nil {
			return "", refusal
		}
	}
	return server, nil
}

// renamed returns params with another name, the same ones when it is the same name.
func renamed(params json.RawMessage, name string) json.RawMessage {
	if rawjson.String(params, "name") == name {
		return params
	}
	return rawjson.Set(params, "name", rawjson.Quote(name))
}

// pass sends a request to its server, and returns the server's result as it is. It waits for the daemon,
// should that be starting. A daemon that had gone before it was sent the request changes nothing.
func (s *session) pass(c *call, server string, params json.RawMessage) (json.RawMessage, error) {
	if c.modern {
		params = unstamp(params)
	}
	if retries(c.method) { // what answers our questions never comes here
		params = rawjson.Delete(params, "requestState")
		if responses := rawjson.Get(params, "inputResponses"); responses != nil && !c.mayAnswer(responses) {
			params = rawjson.Delete(params, "inputResponses")
		}
	}
	for {
		at, err := s.link.attached(c.ctx)
		if err != nil {
			return nil, err
		}
		result, sent, err := s.passTo(at, c, c.method, server, params)
		if sent || !errors.Is(err, editorapi.ErrDaemonGone) {
			return result, err
		}
		s.link.lost(at)
	}
}

// passTo sends a request for a call with one attachment. sent is false if the daemon cannot have got the request.
func (s *session) passTo(at *attachment, c *call, method, server string, params json.RawMessage) (result json.RawMessage, sent bool, err error) {
	request := editorapi.MCPRequest{Server: server, Params: params}
	if c.modern { // the session has declared all that any of its requests did
		request.Capabilities = s.identityOf(c.stamp).capabilities.Encode()
	}
	s.mu.Lock()
	c.server = server
	s.lastID++
	token := s.lastID
	wanted := c.token != nil
	if wanted || c.modern { // a retry may want progress that the first request did not
		request.ProgressToken = json.RawMessage(strconv.FormatInt(token, 10))
		s.tokens[token] = c
	}
	s.mu.Unlock()
	var name cause
	result, err = at.CallNamed(c.ctx, method, request, func(id json.RawMessage) {
		s.mu.Lock()
		defer s.mu.Unlock()
		name = cause{at, string(id)}
		s.causes[name] = c
	})
	s.mu.Lock()
	delete(s.causes, name)
	delete(s.tokens, token)
	s.mu.Unlock()
	return result, name.at != nil, err
}

// progressed passes on the progress of a call under the agent's token: "Progress notifications MUST only
// reference tokens that: Were provided in an active request" (MCP 2026-07-28, Progress).
func (s *session) progressed(params json.RawMessage) {
	token, ok := rawjson.Int(params, "progressToken")
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock() // until it is queued: the result comes after it
	c := s.tokens[token]
	if c == nil || c.token == nil || !c.id.IsValid() || c.ctx.Err() != nil {
		return
	}
	s.out.tell(&wire.Request{Method: wire.MethodProgress, Params: rawjson.Set(params, "progressToken", c.token)})
}
