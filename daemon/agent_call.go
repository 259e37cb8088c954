package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/editorapi/approvaltext"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxShownCall bounds the params of a call that a person is asked about, in bytes: nobody reads more.
const maxShownCall = 1 << 20

// maxAskedCalls is how many calls of one agent wait for a person at a time.
const maxAskedCalls = 64

// gated reports whether [editor.mayCall] has something to say about a call.
func (e *editor) gated(call editorapi.Call) bool {
	return e.agent != nil && call.Method == wire.MethodCallTool
}

// mayCall returns the error that keeps e from making a call, nil if it may. It is the only gate for the
// calls of agents: it asks a person where the rules want that, and waits for the answer. It starts the
// server only for a call that may be made, and looks again when it runs: its tools may be others then.
func (e *editor) mayCall(ctx context.Context, call editorapi.Call) error {
	if !e.gated(call) {
		return nil
	}
	if err := checkSpelling(call); err != nil {
		return err
	}
	tool := rawjson.String(call.Params, "name")
	for asked, woken := false, false; ; {
		ask, err := e.judge(ctx, call.Server, tool)
		if err != nil {
			return err
		}
		if ask && !asked {
			if err := e.askAboutCall(ctx, call, tool); err != nil {
				return err
			}
			asked = true
			continue // the rules may have changed meanwhile
		}
		if woken {
			return nil
		}
		woken = true
		awake := e.wake(call.Server, call.Method)
		if awake == nil {
			return nil
		}
		if err := e.awaitServer(ctx, call, awake); err != nil {
			return err
		}
	}
}

// checkSpelling refuses members that some servers read as "name" or "arguments": JSON in Go is read
// without regard to case. The rules would be about another tool than the one that is called.
func checkSpelling(call editorapi.Call) error {
	for member := range rawjson.Members(call.Params) {
		for _, known := range []string{"name", "arguments"} {
			if member != known && strings.EqualFold(member, known) {
				return invalid(call.Server, "params", "the params of a call have a member %q, which servers may take for %q; leave it out", member, known)
			}
		}
	}
	return nil
}

// judge returns what the rules for agents say of a tool: whether a person has to allow the call, or
// why nobody can. Of a server that does not run, the tools count that are known.
func (e *editor) judge(ctx context.Context, server, tool string) (ask bool, err error) {
	found := e.findKept(ctx, server)
	e.d.mu.Lock()
	def, c, err := e.definition(server)
	var pins *pinning
	if c != nil {
		lists := c.client.Lists()
		if last := c.last(found[c]); last != nil {
			lists = last.lists
		}
		pins = c.pinned(lists)
	}
	var notReady error // nobody is asked about a call that fails
	if err == nil && (c == nil || !c.offers() && c.needsPerson()) {
		notReady = e.notReady(def)
	}
	e.d.mu.Unlock()
	if err != nil {
		return false, err
	}
	rule := def.AgentRule(tool)
	if rule == config.AgentNever {
		return false, notAllowed(server, refusedNever, "the configuration of server %q lets no agent call %q; do without it", server, tool)
	}
	if pins == nil {
		return rule == config.AgentAsk, notReady
	}
	switch h := pins.held(); {
	case h.tooLarge[tool] > 0:
		return false, notAllowed(server, refusedChanged, "%s", tooLargeToShow(tool, h.tooLarge[tool]))
	case h.tools[tool]:
		return false, notAllowed(server, refusedChanged, "tool %q has changed, and no agent gets it before a person has seen how: in an editor or with: %s", tool, editorapi.AllowCommand(server))
	}
	return rule == config.AgentAsk, notReady
}

// askAboutCall asks a person whether e may make a call: in the editor used last in a folder of e, and
// where that one goes away or cannot ask, in the next one. Where none is left, it waits a while for the one that has gone: a
// window that reloads. It withdraws the question when ctx ends.
func (e *editor) askAboutCall(ctx context.Context, call editorapi.Call, tool string) error {
	if n := len(call.Params); n > maxShownCall {
		return notAllowed(call.Server, refusedAsk, "a person has to see the arguments of each call of %q, and %s are too much to read; send at most %s", tool, wording.Size(int64(n)), wording.Size(maxShownCall))
	}
	done, err := e.queue(call.Server)
	if err != nil {
		return err
	}
	defer done()
	params, err := e.callQuestion(ctx, call, tool)
	if err != nil {
		return err
	}
	tried := map[*editor]bool{}
	for left := (*editor)(nil); ; {
		e.d.mu.Lock()
		person := e.d.personFor(e, tried)
		if person == nil {
			e.d.mu.Unlock()
			if gone := left; gone != nil {
				left = nil
				e.d.awaitReturn(ctx, gone)
				continue
			}
			return notAllowed(call.Server, refusedAsk, "a person has to allow each call of %q, and no editor is there to ask in; open the folder in an editor that is attached to mcp-editord, and call again", tool)
		}
		q := e.d.askNow(person, e.questionAbout(params))
		e.d.mu.Unlock()
		await(ctx, q.done)
		if e.ctx.Err() != nil {
			ctx = e.ctx // it ends before those made of it do
		}
		if ctx.Err() != nil {
			e.d.withdraw(person, q)
			return e.asEditorError(ctx, call.Server, ctx.Err())
		}
		if q.decision != "" {
			e.d.audit.decision(person, AuditAgentCall, call.Server, tool, q.decision)
		}
		switch q.decision {
		case editorapi.DecisionAllow:
			return nil
		case editorapi.DecisionDeny:
			return notAllowed(call.Server, refusedDenied, "a person said no to this call of %q; do not make it again unless you are told to", tool)
		case editorapi.DecisionLater:
			return notAllowed(call.Server, refusedDenied, "the question whether you may call %q was closed without a decision; ask the person before you call again", tool)
		}
		if tried[person] = true; q.gone {
			left = person
		}
	}
}

// queue counts a call that waits for a person. The caller calls done when it no longer waits. An agent
// that does not wait for answers gets an error.
func (e *editor) queue(server string) (done func(), err error) {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	if e.askedCalls == maxAskedCalls {
		return nil, notAllowed(server, refusedAsk, "%d calls of this agent wait for a person already; wait until they are answered before you call again", maxAskedCalls)
	}
	e.askedCalls++
	return func() {
		e.d.mu.Lock()
		e.askedCalls--
		e.d.mu.Unlock()
	}, nil
}

// callQuestion returns what a person sees of a call.
func (e *editor) callQuestion(ctx context.Context, call editorapi.Call, tool string) (editorapi.ApproveParams, error) {
	found := e.findKept(ctx, call.Server)
	e.d.mu.Lock()
	def, c, err := e.definition(call.Server)
	e.d.calls++
	number := e.d.calls
	var tools []json.RawMessage
	if c != nil {
		if last := c.last(found[c]); last != nil {
			tools = last.lists.Of(wire.ListTools)
		}
	}
	e.d.mu.Unlock()
	if err != nil {
		return editorapi.ApproveParams{}, err
	}
	params := editorapi.ApproveParams{
		Kind: editorapi.ApproveCall, Server: def.Name, Digest: hashOf("call", def.Digest, fmt.Sprint(number), string(call.Params)),
		Definition: definitionOf(def.Shown()), Reason: editorapi.ApprovalNew,
		Call: &editorapi.AgentCall{Agent: e.called(), Tool: tool, Arguments: rawjson.Get(call.Params, "arguments")},
	}
	params.Text = approvaltext.OfCall(params, rawjson.Delete(rawjson.Delete(call.Params, "name"), "arguments"), toolNamed(tools, tool))
	return params, nil
}

// toolNamed returns one of tools, nil if it is not there.
func toolNamed(tools []json.RawMessage, name string) json.RawMessage {
	for _, tool := range tools {
		if rawjson.String(tool, "name") == name {
			return tool
		}
	}
	return nil
}

// questionAbout returns the question about one call of e. Only who waits for it carries out the answer.
func (e *editor) questionAbout(params editorapi.ApproveParams) *approvalQuestion {
	q := &approvalQuestion{
		server: params.Server, digest: params.Digest, done: make(chan struct{}),
		params: func() editorapi.ApproveParams { return params },
		decide: func(editorapi.Decision) error { return nil },
		after:  func(editorapi.Decision) {},
	}
	q.stands = func() bool { return q.waiters > 0 && e.ctx.Err() == nil } // all go at once with the agent
	return q
}

// withdraw takes back a question that only one has waited for.
func (d *Daemon) withdraw(e *editor, q *approvalQuestion) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q.unwait()
	if e.asking == q {
		q.cancel()
	}
	d.askNext(e)
}

// personFor returns the editor in which to ask about what e does: of those that share a folder with
// it, the one used last, without those that were tried; nil for none. d.mu is held.
func (d *Daemon) personFor(e *editor, tried map[*editor]bool) (person *editor) {
	for _, other := range d.editors {
		if other.agent == nil && other.initialized && !other.closed && !tried[other] && other.shares(e.real) &&
			(person == nil || other.used > person.used) {
			person = other
		}
	}
	return person
}

// shares reports whether e has one of folders open; folders are as in editor.real. d.mu is held.
func (e *editor) shares(folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return slices.Contains(e.real, folder) })
}
