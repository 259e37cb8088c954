package daemon

import (
	"fmt"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// An agent is one of the editors, but no person sits before it. It is asked for no approval and told
// no messages, and it decides nothing that a person has to decide.

// The values of [editorapi.Error.Detail] of a [editorapi.KindNotAllowed].
const (
	refusedNever   = "never"
	refusedAsk     = "ask"
	refusedDenied  = "denied"
	refusedChanged = "changed"
	refusedAgent   = "agent"
)

// notAllowed is the error for what an agent may not do.
func notAllowed(server, detail, format string, args ...any) error {
	return &editorapi.Error{Kind: editorapi.KindNotAllowed, Server: server, Detail: detail, Message: fmt.Sprintf(format, args...)}
}

// needsPerson returns the error for what no agent may do, such as "stop a server"; nil for an editor.
func (e *editor) needsPerson(server, what string) error {
	if e.agent == nil {
		return nil
	}
	return notAllowed(server, refusedAgent, "an agent may not %s; do it in an editor or with mcp-editord in a terminal", what)
}

// mayStart returns the error that keeps e, an agent, from starting a server: a person has stopped it;
// nil for an editor. d.mu is held.
func (e *editor) mayStart(c *connection) error {
	if e.agent == nil || !c.halted {
		return nil
	}
	return notAllowed(c.name, refusedAgent, "somebody has stopped server %q, and an agent may not start it again; start it in an editor", c.name)
}

// called returns the name of e as people know it.
func (e *editor) called() string {
	if e.agent != nil {
		return e.agent.Name
	}
	return e.name
}
