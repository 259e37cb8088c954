package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Questions to an agent of the modern era: "Servers MUST send server-to-client requests (such as
// roots/list, sampling/createMessage, or elicitation/create) using the MRTR pattern" (MCP 2026-07-28,
// Multi Round-Trip Requests). The call that caused them is answered with input_required, and goes on at
// the daemon while it is parked here. The agent sends it again with the answers.
const (
	gatherFor = 30 * time.Millisecond // questions that come together go together
	parkedFor = 10 * time.Minute      // then a call is cancelled: the agent will not come back
)

// A question is one that a server has asked in the course of a call.
type question struct {
	key    string
	method string
	params json.RawMessage
	answer chan json.RawMessage // has room for it
}

// retries reports whether requests of a method may be answered with input_required: "Servers MAY send
// InputRequiredResult responses on" prompts/get, resources/read and tools/call, and "MUST NOT […] on any
// other client requests".
func retries(method string) bool {
	return slices.Contains([]string{wire.MethodCallTool, wire.MethodGetPrompt, wire.MethodReadResource}, method)
}

// subject returns what a request is about, to which its requestState is bound.
func subject(method string, params json.RawMessage) string {
	if method == wire.MethodReadResource {
		return rawjson.String(params, "uri")
	}
	return rawjson.String(params, "name")
}

// askForInput puts a question to the agent as part of the answer to c, and waits for what it says.
func (s *session) askForInput(ctx context.Context, c *call, method string, asked editorapi.Question) (any, error) {
	if !retries(c.method) {
		return nil, errCannotAnswer
	}
	s.mu.Lock()
	s.lastID++
	// "inputRequests keys are server assigned identifiers and MUST be unique within the scope of the
	// request."
	key := asked.Key // what the server calls it
	if key == "" || slices.ContainsFunc(c.questions, func(other *question) bool { return other.key == key }) {
		key = "q" + strconv.FormatInt(s.lastID, 10)
	}
	q := &question{key: key, method: method, params: asked.Params, answer: make(chan json.RawMessage, 1)}
	c.questions = append(c.questions, q)
	s.gather(c)
	s.mu.Unlock()
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
	s.mu.Lock()
	c.questions = slices.DeleteFunc(c.questions, func(other *question) bool { return other == q })
	s.mu.Unlock()
	return nil, context.Canceled
}

// gather has the agent asked in a moment, if it waits for an answer to c. The caller holds mu.
func (s *session) gather(c *call) {
	if c.id.IsValid() && len(c.questions) > 0 && !c.gathering {
		c.gathering = true
		time.AfterFunc(gatherFor, func() { s.park(c) })
	}
}

// park answers c with input_required.
func (s *session) park(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.gathering = false
	if len(c.questions) == 0 || s.calls[c.id] != c || c.ctx.Err() != nil {
		return // withdrawn, or over
	}
	requests := json.RawMessage("{}")
	for _, q := range c.questions {
		request := rawjson.Set(nil, "method", rawjson.Quote(q.method))
		if q.params != nil {
			request = rawjson.Set(request, "params", q.params)
		}
		requests = rawjson.Set(requests, q.key, request)
	}
	// "Servers MUST treat requestState as an attacker-controlled input": it is by chance, names the call
	// in this process alone, and is good for once.
	state := rand.Text()
	id := c.id
	delete(s.calls, id)
	c.id, c.state = wire.ID{}, state
	s.parked[state] = c
	c.expiry = time.AfterFunc(parkedFor, func() { s.abandon(c, state) })
	result := rawjson.Set(nil, "resultType", []byte(`"input_required"`))
	result = rawjson.Set(result, "inputRequests", requests)
	result = rawjson.Set(result, "requestState", rawjson.Quote(state))
	s.respond(id, result, nil)
}

// abandon ends a call whose agent has not come back.
func (s *session) abandon(c *call, state string) {
	s.mu.Lock()
	gone := s.parked[state] == c
	if gone {
		s.forget(c)
	}
	s.mu.Unlock()
	if gone {
		c.cancel()
		s.link.calm()
	}
}

// mayAnswer reports whether the agent may give these answers before it is asked, as MCP's conformance suite does: it has
// declared in the same request that it answers such questions. All others are put to an editor.
func (c *call) mayAnswer(responses json.RawMessage) bool {
	if !c.modern || !rawjson.IsObject(responses) {
		return false
	}
	for _, answer := range rawjson.Members(responses) {
		capability := "sampling"
		switch {
		case rawjson.Get(answer, "action") != nil:
			capability = "elicitation"
		case rawjson.Get(answer, "roots") != nil:
			capability = "roots"
		}
		if rawjson.Get(c.stamp.capabilities, capability) == nil {
			return false
		}
	}
	return true
}

// resume goes on with a call that the agent has sent again.
func (s *session) resume(r *wire.Request, of stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refuse := func(format string, args ...any) {
		s.respond(r.ID, nil, wire.RPCErrorf(wire.CodeInvalidParams, format, args...))
	}
	if s.calls[r.ID] != nil || s.listens[r.ID] != nil {
		s.respond(r.ID, nil, wire.RPCErrorf(wire.CodeInvalidRequest, "a request with the id %v is under way; use another id", r.ID))
		return
	}
	c := s.parked[rawjson.String(r.Params, "requestState")]
	// "an identifier for the originating request, e.g. the method name and a digest of its salient
	// parameters, rejecting state presented on a request that does not match."
	if c == nil || c.method != r.Method || subject(c.method, c.params) != subject(r.Method, r.Params) {
		refuse("the requestState belongs to no such request, was used before, or is over %s old; send the request again without it", wire.Span(parkedFor))
		return
	}
	responses := rawjson.Get(r.Params, "inputResponses")
	// "Servers SHOULD validate that the data provided by the client is a valid InputResponses object."
	if responses != nil && !rawjson.IsObject(responses) {
		refuse("inputResponses is not an object")
		return
	}
	for _, q := range c.questions {
		if answer := rawjson.Get(responses, q.key); answer != nil && !rawjson.IsObject(answer) {
			refuse("inputResponses has no object for %q", q.key)
			return
		}
	}
	s.forget(c)
	c.id, c.token, c.stamp = r.ID, tokenOf(r.Params), of
	if o := c.outcome; o != nil { // it has ended without the answers
		s.respond(r.ID, o.result, o.err)
		return
	}
	s.calls[r.ID] = c
	c.questions = slices.DeleteFunc(c.questions, func(q *question) bool {
		answer := rawjson.Get(responses, q.key)
		if answer != nil {
			q.answer <- answer
		}
		return answer != nil
	})
	// "If the client fails to send all the information requested […], the server SHOULD respond with a new
	// InputRequiredResult requesting the missing information again."
	s.gather(c)
}
