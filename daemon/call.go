package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Call implements [editorapi.Attachment].
func (e *editor) Call(ctx context.Context, call editorapi.Call) (json.RawMessage, error) {
	began := time.Now()
	var awake <-chan struct{}
	if !e.gated(call) {
		awake = e.wake(call.Server, call.Method)
	}
	result, err := e.route(ctx, call, awake)
	e.d.audit.call(e, began, call, result, err, nil)
	return result, err
}

// Begin implements [editorapi.Attachment].
func (e *editor) Begin(call editorapi.Call, later *cork.Cork, done editorapi.Done) (cancel func()) {
	began := time.Now()
	if e.gated(call) {
		return e.beginLate(began, call, nil, done)
	}
	if awake := e.wake(call.Server, call.Method); awake != nil {
		return e.beginLate(began, call, awake, done)
	}
	e.Used()
	def, c, err := e.ready(call.Server, call.Method)
	if err != nil {
		e.d.audit.call(e, began, call, nil, err, nil)
		done(nil, err, nil)
		return func() {}
	}
	c.binds(call)
	return c.client.Begin(e.mcpCall(def, call), later, func(result json.RawMessage, err error, answers *cork.Cork) {
		err = e.asEditorError(e.ctx, call.Server, err)
		e.d.audit.call(e, began, call, result, err, answers)
		done(result, err, answers)
	}).Cancel
}

// mcpCall returns what a call is for the client of its server.
func (e *editor) mcpCall(def config.Definition, call editorapi.Call) mcpclient.Call {
	timeout := call.Timeout
	if timeout == 0 && call.Method == wire.MethodCallTool {
		timeout = def.CallTimeout
	}
	return mcpclient.Call{
		Method: call.Method, Params: call.Params, Timeout: timeout, Progress: call.Progress, Capabilities: e.callCapabilities(def, call),
		Owner: mcpclient.Owner{User: e.id, Command: call.Cause.Command, Request: string(call.Cause.ID)},
	}
}

// route hands a call to the connection that e has to its server, once awake is closed; see wake. Lists
// come from the catalog.
func (e *editor) route(ctx context.Context, call editorapi.Call, awake <-chan struct{}) (result json.RawMessage, err error) {
	e.Used()
	defer func() {
		if err != nil && ctx.Err() != nil { // what else is wrong comes of that: who has gone is on no connection
			err = e.asEditorError(ctx, call.Server, ctx.Err())
		}
	}()
	if err := e.awaitServer(ctx, call, awake); err != nil {
		return nil, err
	}
	if err := e.mayCall(ctx, call); err != nil {
		return nil, err
	}
	def, c, err := e.ready(call.Server, call.Method)
	if err != nil {
		return nil, err
	}
	if kind, ok := wire.ListOf(call.Method); ok { // all pages joined, from the catalog
		result, err = e.list(ctx, def, c, kind)
	} else {
		c.binds(call)
		result, err = c.forward(ctx, e, e.mcpCall(def, call), call.Answered)
	}
	return result, e.asEditorError(ctx, call.Server, err)
}

// list returns a list of a server as e sees it. An agent gets what its catalog has.
func (e *editor) list(ctx context.Context, def config.Definition, c *connection, kind wire.ListKind) (json.RawMessage, error) {
	result, err := c.client.List(ctx, kind)
	if err != nil || e.agent == nil || kind != wire.ListTools {
		return result, err
	}
	e.d.mu.Lock()
	s := e.sees(def, c, c.client.Lists())
	e.d.mu.Unlock()
	visible := rawjson.Array(s.visible()) // of what was compared, and nothing newer
	return rawjson.Set(result, "tools", visible), nil
}

// Notify implements [editorapi.Attachment].
func (e *editor) Notify(ctx context.Context, server, method string, params json.RawMessage) error {
	_, c, err := e.ready(server, method)
	if err != nil {
		return err
	}
	switch method {
	case wire.MethodInitialized, wire.MethodCancelled, wire.MethodProgress, wire.MethodRootsChanged:
		return invalid(server, "method", "only the daemon sends %q, since only it knows the ids and the roots that the server knows; leave it out", method)
	}
	return e.asEditorError(ctx, server, c.client.Notify(ctx, method, params))
}

// ready returns a server on which method can be called, or the error that says why it cannot. From then on e has used
// the server, unless it only lists what that offers. If
// the server is starting or restarting, its client decides: a call makes the client retry an
// unreachable endpoint at once, and waits until a lost session is open again. An editor can end a
// subscription whether the server runs or not.
func (e *editor) ready(server, method string) (config.Definition, *connection, error) {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	def, c, err := e.definition(server)
	if err != nil {
		return def, nil, err
	}
	if c != nil {
		switch c.status.State {
		case mcpclient.StateReady, mcpclient.StateRestarting, mcpclient.StateStarting:
			if _, lists := wire.ListOf(method); !lists {
				c.used[e] = true
			}
			return def, c, nil
		}
		if method == wire.MethodUnsubscribe {
			return def, c, nil
		}
	}
	return def, nil, e.notReady(def)
}

// Bound implements [editorapi.Attachment].
func (e *editor) Bound(server, tool string, where *editorapi.Context) map[string]editorapi.Bound {
	e.d.mu.Lock()
	def, _, err := e.definition(server)
	e.d.mu.Unlock()
	if err != nil {
		return nil
	}
	rule := def.Rule(tool)
	if len(rule.Bind) == 0 {
		return nil
	}
	e.d.mu.Lock()
	folders := foldersOf(def.Source, e.folders)
	vars := e.d.vars(e.env, folders, def)
	e.d.mu.Unlock()
	context := contextVars(where, folders)
	own := def.Tools[tool].Bind
	filled := map[string]editorapi.Bound{}
	for name, text := range rule.Bind {
		if value, ok := config.ExpandBind(text, vars, context); ok {
			_, said := own[name]
			filled[name] = editorapi.Bound{Text: value, Place: config.IsPlace(text), Pattern: !said}
		}
	}
	return filled
}

// asEditorError turns an error of mcpclient into one of the editor protocol. It leaves what the
// server itself sent as it is.
func (e *editor) asEditorError(ctx context.Context, server string, err error) error {
	if err == nil {
		return nil
	}
	ours, is := errors.AsType[*wire.Error](err)
	switch {
	case is && ours.Kind == wire.KindRPC:
		return &editorapi.RPCError{Code: ours.Code, Message: ours.Message, Data: ours.Data}
	case is:
		out := &editorapi.Error{Server: server, Detail: ours.Detail, Message: ours.Message}
		switch ours.Kind {
		case wire.KindNotReady, wire.KindGone, wire.KindTimeout, wire.KindCancelled,
			wire.KindCapabilityNotSupported, wire.KindTooLarge, wire.KindInvalidParams, wire.KindInvalidResult,
			wire.KindHTTP, wire.KindSignInNeeded:
			out.Kind = editorapi.Kind(ours.Kind) // the same words in both rooms
		case wire.KindScope: // its detail has the scopes
			out.Kind = editorapi.KindSignInNeeded
		case wire.KindUnresponsive, wire.KindExit, wire.KindNotMCP,
			wire.KindUnreachable, wire.KindUnauthorized, wire.KindSessionLost:
			out.Kind = editorapi.KindServerGone
		case wire.KindSpawn, wire.KindStartTimeout, wire.KindProtocol: // from a start that the call caused
			out.Kind, out.Detail = editorapi.KindServerNotReady, string(mcpclient.StateFailed)
		default:
			out.Kind = editorapi.KindInternal
		}
		return out
	case ctx.Err() != nil:
		return &editorapi.Error{Kind: editorapi.KindCancelled, Server: server, Message: "the request was cancelled"}
	default:
		return err
	}
}
