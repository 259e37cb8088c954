package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/roots"
)

// codeRejected is the error code of a sampling that nobody answers (MCP 2025-11-25, Client,
// Sampling, Error Handling: "User rejected sampling request": -1).
const codeRejected = -1

// Request implements [mcpclient.Host].
func (c *connection) Request(ctx context.Context, ask mcpclient.Ask) (json.RawMessage, error) {
	switch ask.Method {
	case wire.MethodListRoots:
		if answer, ok := c.callersRoots(ctx, ask); ok {
			return answer, nil
		}
		c.d.mu.Lock()
		c.rootsAsked, c.rootsMissed = true, false
		c.d.mu.Unlock()
		list := c.roots.Roots()
		c.tellsRoots(list)
		return rootsResult(list)
	case wire.MethodSample:
		return c.sample(ctx, ask)
	case wire.MethodElicit:
		return c.elicit(ctx, ask)
	default:
		return nil, wire.RPCErrorf(wire.CodeMethodNotFound, "there is no method %.100q", ask.Method)
	}
}

// callersRoots asks the editor whose call is under way for the roots that count for it. ok is false
// when those of the connection count: the editor did not declare that it answers, or it did not; the
// configuration says which they are; or the server asks by a request of its own. What it is told then
// holds for its session, and so for all who share it.
func (c *connection) callersRoots(ctx context.Context, ask mcpclient.Ask) (answer json.RawMessage, ok bool) {
	if len(ask.Owners) != 1 || ask.Key == "" {
		return nil, false
	}
	c.d.mu.Lock()
	if c.def.Roots.None || c.def.Roots.Entries != nil {
		c.d.mu.Unlock()
		return nil, false
	}
	i := slices.IndexFunc(c.d.editors, func(e *editor) bool { return e.id == ask.Owners[0].User && e.caps.Roots })
	var e *editor
	if i >= 0 {
		e = c.d.editors[i]
	}
	c.d.mu.Unlock()
	if e == nil {
		return nil, false
	}
	params := ask.Params
	if params == nil {
		params = json.RawMessage("{}")
	}
	cause := &editorapi.Cause{Command: ask.Owners[0].Command, ID: json.RawMessage(ask.Owners[0].Request)}
	answer, err := e.api.ListRoots(ctx, editorapi.Question{Server: c.name, Params: params, Cause: cause, Key: ask.Key})
	return answer, err == nil
}

// rootsResult returns the result of roots/list (MCP 2025-11-25, Client, Roots).
func rootsResult(list []roots.Root) (json.RawMessage, error) {
	return json.Marshal(map[string][]roots.Root{"roots": list})
}

func (c *connection) sample(ctx context.Context, ask mcpclient.Ask) (json.RawMessage, error) {
	tools := !rawjson.IsAbsent(rawjson.Get(ask.Params, "tools")) || !rawjson.IsAbsent(rawjson.Get(ask.Params, "toolChoice"))
	able := func(caps editorapi.Capabilities) bool {
		return caps.Sampling != nil && (!tools || rawjson.Get(caps.Sampling, "tools") != nil)
	}
	if caps := told(ask); caps.Sampling != nil && !able(caps) {
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
	answer, err := c.putToSomebody(ctx, ask, ask.Params, able)
	switch {
	case err == nil:
		return answer, nil
	case err == errNobody:
		return nil, wire.RPCErrorf(codeRejected, "no attached editor can sample")
	case errors.Is(err, editorapi.ErrEditorGone):
		return nil, wire.RPCErrorf(codeRejected, "the editor left before it answered")
	case ctx.Err() != nil:
		return nil, wire.RPCErrorf(codeRejected, "nobody waits any more for the call that needs it")
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

// errNobody means that there is nobody to put a question to.
var errNobody = errors.New("no attached editor can answer")

// putToSomebody puts a question of the server to whoever can answer. An editor that declared the ability
// may find that it cannot answer this one (-32601): then the next one is asked. One that leaves in order is asked again when it
// comes back, unless the question is about its own calls, which have ended.
func (c *connection) putToSomebody(ctx context.Context, ask mcpclient.Ask, params json.RawMessage, able func(editorapi.Capabilities) bool) (json.RawMessage, error) {
	var unable []*editor
	for {
		e, q := c.whom(ask.Owners, able, unable)
		if e == nil {
			c.tellCallers(ask, able, nil, "nobody here can answer; open this folder in an editor, or make the call in a terminal")
			return nil, errNobody
		}
		c.tellCallers(ask, able, e, waitsIn(e))
		q.Key = ask.Key
		answer, err := c.put(ctx, e, ask.Method, params, q)
		othersWait := e.agent == nil && (len(ask.Owners) == 0 || slices.ContainsFunc(ask.Owners, func(o mcpclient.Owner) bool { return o.User != e.id }))
		for othersWait && err == editorapi.ErrEditorLeft {
			again := c.d.awaitReturn(ctx, e)
			if again == nil {
				break
			}
			e = again
			answer, err = c.put(ctx, e, ask.Method, params, q)
		}
		if errors.Is(err, editorapi.ErrEditorGone) {
			c.tellCallers(ask, able, nil, e.title()+" has left without an answer")
		}
		if !cannotAnswer(err) {
			return answer, err
		}
		unable = append(unable, e)
	}
}

// maxAsked is how many characters of a question are quoted to somebody who cannot answer it.
const maxAsked = 120

// tellCallers tells those who wait for a question that they cannot answer where it is: asked has it, nobody when nil.
// An agent is told nothing: it cannot act on it. A sampling that nobody answers fails with an error that says so.
func (c *connection) tellCallers(ask mcpclient.Ask, able func(editorapi.Capabilities) bool, asked *editor, where string) {
	what := asksWhat(rawjson.String(ask.Params, "message"))
	severity := editorapi.SeverityInfo
	switch {
	case asked == nil && ask.Method == wire.MethodSample:
		return
	case asked == nil:
		severity = editorapi.SeverityWarning
	case ask.Method == wire.MethodSample:
		what = "wants the answer of a model"
	}
	c.d.mu.Lock()
	waiting := slices.DeleteFunc(c.d.callers(ask.Owners), func(e *editor) bool {
		return e == asked || e.agent != nil || able(e.caps)
	})
	c.d.mu.Unlock()
	for _, e := range waiting {
		e.tellQuestion(severity, c.name, what, where)
	}
}

// tellQuestion tells e of a question of a server that e is not asked.
func (e *editor) tellQuestion(severity editorapi.Severity, server, what, where string) {
	e.api.ShowMessage(severity, fmt.Sprintf("server %q %s (%s)", server, what, where))
}

func asksWhat(message string) string { return "asks: " + safetext.Line(message, maxAsked) }

func waitsIn(asked *editor) string { return "it waits until you answer in " + asked.title() }

// callers returns the editors whose calls are under way. d.mu is held.
func (d *Daemon) callers(owners []mcpclient.Owner) (callers []*editor) {
	for _, e := range d.editors {
		if slices.ContainsFunc(owners, func(o mcpclient.Owner) bool { return o.User == e.id }) {
			callers = append(callers, e)
		}
	}
	return callers
}

// cannotAnswer reports whether an editor says that it does not answer such questions.
func cannotAnswer(err error) bool {
	rpc, is := errors.AsType[*editorapi.RPCError](err)
	return is && rpc.Code == editorapi.CodeMethodNotFound
}

// put puts a question of the server to e and records the answer. q says what led to the question. The error is
// [errMuted] when the server was muted meanwhile.
func (c *connection) put(ctx context.Context, e *editor, method string, params json.RawMessage, q editorapi.Question) (json.RawMessage, error) {
	began := time.Now()
	asking, refused, done := c.openQuestion(ctx)
	defer done()
	q.Server, q.Params, q.Refused = c.name, params, refused
	answers := e.api.Sample
	if method == wire.MethodElicit {
		answers = e.api.Elicit
	}
	answer, err := answers(asking, q)
	if err != nil && context.Cause(asking) == errMuted {
		err = errMuted
	}
	c.d.audit.question(e, began, c.name, method, params, answer, err)
	if ctx.Err() == nil && err != errMuted && err != editorapi.ErrEditorLeft && !cannotAnswer(err) { // nobody refused what the server took back
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

// whom chooses the editor to ask, among those that declared what the question needs: the one whose call caused the
// question; if several have calls under way, the one of them used last; if none has, the one on the connection used
// last. Where nobody who called can answer, it is the one used last that works in the same place as a caller,
// on this connection or not. An agent is asked about its own call only, or where nobody has a call under way and
// no editor can answer. whom returns nil when there is none but those in without. Where the call is certain, the
// question says which it was.
func (c *connection) whom(owners []mcpclient.Owner, able func(editorapi.Capabilities) bool, without []*editor) (*editor, editorapi.Question) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if len(owners) == 0 {
		return cmp.Or(usedLast(withoutAgents(c.members), able, without), usedLast(c.members, able, without)), editorapi.Question{}
	}
	callers := c.d.callers(owners)
	chosen := c.d.inPlaceOf(callers, able, without)
	if len(owners) > 1 || chosen == nil {
		return chosen, editorapi.Question{}
	}
	if owner := owners[0]; chosen.id == owner.User {
		return chosen, editorapi.Question{Cause: &editorapi.Cause{Command: owner.Command, ID: json.RawMessage(owner.Request)}}
	}
	return chosen, editorapi.Question{Caller: &editorapi.Caller{Name: callers[0].title(), Tool: owners[0].Tool}}
}

// inPlaceOf returns the editor to ask for callers: the one of them used last that is able or, with none, the one
// used last that is and works in the same place as one of them. It is an agent only when that is the one
// caller. It is nil when there is none. d.mu is held.
func (d *Daemon) inPlaceOf(callers []*editor, able func(editorapi.Capabilities) bool, without []*editor) *editor {
	asked := callers
	if len(callers) > 1 { // nobody knows whose call it is
		asked = withoutAgents(callers)
	}
	if e := usedLast(asked, able, without); e != nil {
		return e
	}
	var near []*editor
	for _, e := range withoutAgents(d.editors) {
		if e.initialized && slices.ContainsFunc(callers, e.near) {
			near = append(near, e)
		}
	}
	return usedLast(near, able, without)
}

// withoutAgents returns those of editors that are no agents.
func withoutAgents(editors []*editor) (left []*editor) {
	for _, e := range editors {
		if e.agent == nil {
			left = append(left, e)
		}
	}
	return left
}

// usedLast returns the editor that was used last among those that are able and not in without, nil for
// none. d.mu is held.
func usedLast(editors []*editor, able func(editorapi.Capabilities) bool, without []*editor) (last *editor) {
	for _, e := range editors {
		if !e.closed && !slices.Contains(without, e) && able(e.caps) && (last == nil || e.used > last.used) {
			last = e
		}
	}
	return last
}

// title returns the name of the program that attached, as a person knows it.
func (e *editor) title() string {
	return cmp.Or(e.called(), "another editor")
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
