package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxAuditName is how many characters of a name the audit keeps.
const maxAuditName = 200

// logTime is how the audit and the logs of servers write times: RFC 3339, with milliseconds.
const logTime = "2006-01-02T15:04:05.000Z07:00"

// AuditApproval is the event of a decision on a server, and of its revocation.
const AuditApproval = "approval"

// AuditAgentCall is the event of a question whether an agent may make a call.
const AuditAgentCall = "agentCall"

// The events of what an editor does with a server. All others are MCP methods.
const (
	auditStart   = "start"
	auditRestart = "restart"
	auditStop    = "stop"
	auditMute    = "mute"
	auditUnmute  = "unmute"
	auditSignIn  = "signIn"
	auditSignOut = "signOut"
)

// AuditEntry is one line of the audit: what an editor did with a server, or what a server asked an
// editor. It holds no arguments, no answers, and no text from a server except names. Names are cut
// after 200 characters, and invisible characters in them are escaped.
type AuditEntry struct {
	Time     string      `json:"time"`  // when it ended: RFC 3339, UTC, with milliseconds
	Event    string      `json:"event"` // an MCP method, or approval, agentCall, start, restart, stop, mute, unmute, signIn or signOut
	Server   string      `json:"server"`
	What     string      `json:"what,omitempty"` // the tool, the prompt, the resource's URI, or the digest of the decision
	Editor   AuditEditor `json:"editor"`         // the editor that did it or was asked
	Outcome  string      `json:"outcome"`        // see below
	MS       int64       `json:"ms"`             // how long it took
	BytesIn  int         `json:"bytesIn"`        // of the params of a request
	BytesOut int         `json:"bytesOut"`       // of its result

	// Lost is how many lines the disk did not take, see [lineFile]. A line with it has nothing else.
	Lost int `json:"lost,omitempty"`
}

// The outcomes. A request may also have "rpc:<code>" or the kind of an [editorapi.Error]. An
// elicitation has its answer: accept, decline or cancel. An approval has allow, deny or revoke, and an agentCall allow, deny or
// later. A
// failed start has the kind of the error that keeps the server from running, or else its state.
const (
	outcomeOK         = "ok"
	outcomeToolError  = "toolError"  // the result of the tool has isError
	outcomeEditorGone = "editorGone" // the editor went before it answered
	outcomeMuted      = "muted"      // the server was muted before there was an answer
)

// AuditEditor is an editor in an [AuditEntry].
type AuditEditor struct {
	Name string `json:"name"` // as it calls itself; of an agent, the agent's
	ID   int    `json:"id"`   // as in editord/status
}

// audit records who did what. It is safe for concurrent use. What it says has ended is told only
// when its line is in the file, so a daemon that is killed leaves no answer out. A disk that fails
// or does not answer stops nobody, see [lineFile].
type audit struct{ file *lineFile }

// add writes an entry about e for what began at that time and has just ended. It waits for the file, now or
// as c has it.
func (a *audit) add(e *editor, began time.Time, entry AuditEntry, c *cork.Cork) {
	now := time.Now()
	entry.Time, entry.MS = now.UTC().Format(logTime), now.Sub(began).Milliseconds()
	entry.Editor = AuditEditor{Name: auditName(e.called()), ID: e.id}
	entry.Server, entry.What = auditName(entry.Server), auditName(entry.What)
	line, _ := json.Marshal(entry) // texts and numbers
	a.file.lines.Add(string(line) + "\n")
	if !c.Hold(a.file) {
		a.file.Flush()
	}
}

// call records the outcome of a request of e, if its method is audited.
func (a *audit) call(e *editor, began time.Time, call editorapi.Call, result json.RawMessage, err error, c *cork.Cork) {
	var what string
	switch call.Method {
	case wire.MethodCallTool, wire.MethodGetPrompt:
		what = rawjson.String(call.Params, "name")
	case wire.MethodReadResource:
		what = bareURI(rawjson.String(call.Params, "uri"))
	default:
		return
	}
	outcome := outcomeOK
	switch {
	case err != nil:
		outcome = outcomeOf(err)
	case string(rawjson.Get(result, "isError")) == "true":
		outcome = outcomeToolError
	}
	a.add(e, began, AuditEntry{
		Event: call.Method, Server: call.Server, What: what, Outcome: outcome,
		BytesIn: len(call.Params), BytesOut: len(result),
	}, c)
}

// question records how e answered a server.
func (a *audit) question(e *editor, began time.Time, server, method string, params, answer json.RawMessage, err error) {
	outcome := outcomeOK
	if err != nil {
		outcome = outcomeOf(err)
	} else if method == wire.MethodElicit {
		switch action := rawjson.String(answer, "action"); action {
		case "accept", "decline", "cancel":
			outcome = action
		default:
			outcome = string(editorapi.KindInvalidResult)
		}
	}
	a.add(e, began, AuditEntry{Event: method, Server: server, Outcome: outcome, BytesIn: len(params), BytesOut: len(answer)}, nil)
}

// audited wraps change so that its outcome is recorded.
func (e *editor) audited(event, server string, change editorapi.Change) editorapi.Change {
	began := time.Now()
	return func(ctx context.Context) (editorapi.Server, error) {
		view, err := change(ctx)
		outcome := outcomeOK
		switch {
		case err != nil:
			outcome = outcomeOf(err)
		case event != auditStart && event != auditRestart && event != auditSignIn || view.State == editorapi.ServerReady:
		case view.Error != nil:
			outcome = string(view.Error.Kind)
		default:
			outcome = string(view.State)
		}
		e.d.audit.add(e, began, AuditEntry{Event: event, Server: server, Outcome: outcome}, nil)
		return view, err
	}
}

// decision records what the person at e decided: on the digest of a server, or on a tool that an agent calls.
func (a *audit) decision(e *editor, event, server, what string, decision editorapi.Decision) {
	a.add(e, time.Now(), AuditEntry{Event: event, Server: server, What: what, Outcome: string(decision)}, nil)
}

// outcomeOf names an error as editors see it, without its text.
func outcomeOf(err error) string {
	var answered *editorapi.RPCError
	var own *editorapi.Error
	switch {
	case errors.As(err, &answered):
		return "rpc:" + strconv.FormatInt(answered.Code, 10)
	case errors.As(err, &own):
		return string(own.Kind)
	case errors.Is(err, editorapi.ErrEditorGone):
		return outcomeEditorGone
	case errors.Is(err, errMuted):
		return outcomeMuted
	case errors.Is(err, context.Canceled):
		return string(editorapi.KindCancelled)
	default:
		return string(editorapi.KindInternal)
	}
}

func auditName(s string) string { return safetext.Line(s, maxAuditName) }

// bareURI returns uri without what may be secret: user info, query and fragment. If uri is not a
// valid URI, these cannot be told apart, and it returns "".
func bareURI(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}
