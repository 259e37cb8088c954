package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/roots"
)

// codeRejected is the error code of a sampling that nobody answers (MCP 2025-11-25, Client,
// Sampling, Error Handling: "User rejected sampling request": -1).
const codeRejected = -1

// Request implements [mcpclient.Host].
func (c *connection) Request(ctx context.Context, method string, params json.RawMessage, owners []mcpclient.Owner) (json.RawMessage, error) {
	switch method {
	case wire.MethodListRoots:
		c.d.mu.Lock()
		c.rootsAsked, c.rootsMissed = true, false
		c.d.mu.Unlock()
		return rootsResult(c.roots.Roots())
	case wire.MethodSample:
		return c.sample(ctx, params, owners)
	case wire.MethodElicit:
		return c.elicit(ctx, params, owners)
	default:
		return nil, wire.RPCErrorf(wire.CodeMethodNotFound, "there is no method %.100q", method)
	}
}

// rootsResult returns the result of roots/list (MCP 2025-11-25, Client, Roots).
func rootsResult(list []roots.Root) (json.RawMessage, error) {
	return json.Marshal(map[string][]roots.Root{"roots": list})
}

func (c *connection) sample(ctx context.Context, params json.RawMessage, owners []mcpclient.Owner) (json.RawMessage, error) {
	tools := !rawjson.IsAbsent(rawjson.Get(params, "tools")) || !rawjson.IsAbsent(rawjson.Get(params, "toolChoice"))
	able := func(caps editorapi.Capabilities) bool {
		return caps.Sampling != nil && (!tools || rawjson.Get(caps.Sampling, "tools") != nil)
	}
	if c.caps.Sampling != nil && !able(c.caps) {
		// "The client MUST return an error if this field is provided but
		// ClientCapabilities.sampling.tools is not declared" (MCP 2025-11-25,
		// Schema, CreateMessageRequestParams, of tools and of toolChoice).
		return nil, invalidQuestion("the client did not declare sampling with tools")
	}
	if c.muted() {
		return nil, samplingMuted(c.name)
	}
	if err := c.maySample(time.Now()); err != nil {
		return nil, err
	}
	e, cause := c.whom(owners, able)
	if e == nil {
		return nil, wire.RPCErrorf(codeRejected, "no attached editor can sample")
	}
	answer, err := c.ask(ctx, e, wire.MethodSample, params, cause)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, editorapi.ErrEditorGone):
		return nil, wire.RPCErrorf(codeRejected, "the editor left before it answered")
	case errors.Is(err, errMuted):
		return nil, samplingMuted(c.name)
	default:
		return nil, asRPC(err)
	}
}

// samplingMuted returns the answer to a sampling request from a muted server.
func samplingMuted(server string) error {
	return wire.RPCErrorf(codeRejected, "the user has muted server %q; start it anew or unmute it to get answers", server)
}

// invalidQuestion returns the answer to a question that a server may not ask.
func invalidQuestion(format string, args ...any) error {
	return wire.RPCErrorf(wire.CodeInvalidParams, format, args...)
}

// ask asks e a question of the server and records the answer. The error is [errMuted] when the
// server was muted meanwhile.
func (c *connection) ask(ctx context.Context, e *editor, method string, params json.RawMessage, cause *editorapi.Cause) (json.RawMessage, error) {
	began := time.Now()
	asking, refused, done := c.openQuestion(ctx)
	defer done()
	put := e.api.Sample
	if method == wire.MethodElicit {
		put = e.api.Elicit
	}
	answer, err := put(asking, editorapi.Question{Server: c.name, Params: params, Cause: cause, Refused: refused})
	if err != nil && context.Cause(asking) == errMuted {
		err = errMuted
	}
	c.d.audit.question(e, began, c.name, method, params, answer, err)
	if ctx.Err() == nil && err != errMuted { // nobody refused what the server took back
		c.answered(err == nil && (method != wire.MethodElicit || rawjson.String(answer, "action") == "accept"))
	}
	return answer, err
}

// asRPC passes an editor's error on to the server as it is.
func asRPC(err error) error {
	var answered *editorapi.RPCError
	if errors.As(err, &answered) {
		return &wire.Error{Kind: wire.KindRPC, Code: answered.Code, Message: answered.Message, Data: answered.Data}
	}
	return err
}

// whom chooses the editor to ask: the one whose call caused the question; if several have calls
// under way, the one used last; if none has, the one on the connection used last. It chooses only
// among editors that declared what the question needs. It returns the cause only when it is
// certain.
func (c *connection) whom(owners []mcpclient.Owner, able func(editorapi.Capabilities) bool) (*editor, *editorapi.Cause) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	candidates := c.members
	if len(owners) > 0 {
		candidates = nil
		for _, e := range c.d.editors {
			if slices.ContainsFunc(owners, func(o mcpclient.Owner) bool { return o.User == e.id }) {
				candidates = append(candidates, e)
			}
		}
	}
	var chosen *editor
	for _, e := range candidates {
		if !e.closed && able(e.caps) && (chosen == nil || e.used > chosen.used) {
			chosen = e
		}
	}
	if len(owners) == 1 && chosen != nil {
		return chosen, &editorapi.Cause{Command: owners[0].Command, ID: json.RawMessage(owners[0].Request)}
	}
	return chosen, nil
}

// maySample enforces the server's samplingLimit.
func (c *connection) maySample(now time.Time) error {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if c.def.Sampling == config.SamplingDeny {
		return wire.RPCErrorf(codeRejected, "the configuration of this server denies sampling")
	}
	return c.mayAsk(&c.asked.sampling, wire.MethodSample, "samplingLimit", c.def.SamplingLimit, now)
}
