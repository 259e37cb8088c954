package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// view returns what e is told of a server. d.mu is held.
func (d *Daemon) view(e *editor, def config.Definition) editorapi.Server {
	v := viewOfDefinition(def)
	for _, other := range e.set.Shadowed {
		if other.Name == def.Name {
			v.Shadowed = append(v.Shadowed, other.Source.URI)
		}
	}
	c := e.on[def.Name]
	switch {
	case !def.Enabled:
		v.State = editorapi.ServerDisabled
	case def.RunBy != "":
		v.State, v.RunBy = editorapi.ServerDisabled, def.RunBy
	case c == nil:
		v.State, v.Approval = editorapi.ServerNeedsApproval, e.questions[def.Asks]
		if answer := e.answered(def); answer != nil && !*answer {
			v.Error = &editorapi.ServerError{Kind: editorapi.ServerDenied, Message: "it would run in a folder that the editor does not trust; trust the folder in the editor"}
		} else if !e.undecided(def) {
			v.Error = &editorapi.ServerError{Kind: editorapi.ServerDenied, Message: "it was denied; to allow it, run: " + editorapi.AllowCommand(def.Name)}
		}
	default:
		c.describe(&v)
		if v.Error != nil && e.isTold(def.Digest, c.status.Err.Message) {
			told := *v.Error
			told.Told, v.Error = true, &told
		}
		v.Problems = append(v.Problems[:len(v.Problems):len(v.Problems)], e.set.Outdated(def)...)
	}
	return v
}

// viewOfDefinition returns the part of a view that the definition alone decides.
func viewOfDefinition(def config.Definition) editorapi.Server {
	return editorapi.Server{
		Name: def.Name, Scope: editorapi.ServerScope(def.Scope), Transport: editorapi.ServerTransport(def.Transport),
		Source: def.Source.URI, Digest: cmp.Or(def.Asks, def.Digest),
	}
}

// describe fills in what the connection knows of its server. d.mu is held.
func (c *connection) describe(v *editorapi.Server) {
	s := c.status
	v.State, v.PID, v.Restarts, v.Muted, v.Problems = editorapi.ServerState(s.State), s.PID, s.Restarts, c.asked.muted, slices.Concat(c.problems, c.held.problems())
	v.Held, v.HeldDenied = c.held.question, c.held.denied
	v.ProtocolVersion, v.ServerInfo, v.Capabilities, v.Instructions = s.ProtocolVersion, s.ServerInfo, s.Capabilities, s.Instructions
	if c.starting != nil && (s.State == mcpclient.StateStopped || s.State == mcpclient.StateFailed) {
		if v.State = editorapi.ServerStarting; c.starting.input != nil && c.starting.input.asked != nil {
			v.WaitsFor = editorapi.WaitInput
		}
		return
	}
	if c.wantsSignIn() {
		v.State = editorapi.ServerNeedsSignIn
	}
	v.Error = c.failure
	c.describeAccount(v)
}

// failureOf returns what editors are told of the error of a status, nil when it has none.
func failureOf(s mcpclient.Status) *editorapi.ServerError {
	if s.Err == nil {
		return nil
	}
	return &editorapi.ServerError{Kind: editorapi.ServerErrorKind(s.Err.Kind), Message: safetext.Line(s.Err.Message, math.MaxInt), Stderr: s.Err.Stderr}
}

// answer returns the view of a server for an answer, as the editor was last told.
func (e *editor) answer(ctx context.Context, server string) (editorapi.Server, error) {
	e.told(ctx)
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	def, _, err := e.definition(server)
	if err != nil {
		return editorapi.Server{}, err
	}
	return e.lastTold(def), nil
}

// lastTold returns what the editor was last told of a server, or its view as of now if it was told
// nothing, as before it is initialized. d.mu is held.
func (e *editor) lastTold(def config.Definition) editorapi.Server {
	if view, told := e.shown[def.Name]; told {
		return view
	}
	return e.d.view(e, def)
}

// Servers implements [editorapi.Attachment].
func (e *editor) Servers() []editorapi.Server {
	e.told(e.ctx)
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	views := []editorapi.Server{}
	for _, def := range e.set.Servers {
		views = append(views, e.lastTold(def))
	}
	return views
}

// Roots implements [editorapi.Attachment].
func (e *editor) Roots(server string) (json.RawMessage, error) {
	e.d.mu.Lock()
	_, c, err := e.placed(server)
	e.d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return rootsResult(c.roots.Current())
}

// Status implements [editorapi.Attachment].
func (e *editor) Status() editorapi.Status {
	d := e.d
	d.mu.Lock()
	defer d.mu.Unlock()
	s := editorapi.Status{
		Version: d.opts.Version, PID: os.Getpid(), Socket: d.opts.Paths.Socket, Config: d.opts.Paths.Config,
		LogFile: d.opts.Paths.LogFile(), Uptime: time.Since(d.started).Seconds(),
		Editors: []editorapi.EditorStatus{}, Servers: []editorapi.ServerStatus{}, Counters: map[string]int64{},
	}
	for _, other := range d.editors {
		s.Editors = append(s.Editors, editorapi.EditorStatus{
			ID: other.id, Name: other.name, Version: other.version, Folders: uris(other.folders), You: other == e, Agent: other.agent != nil,
		})
	}
	s.Counters["notificationsLeftOut"], s.Counters["memoryInUse"] = d.leftOut.Load(), d.memory.Used()
	for name, n := range d.pastCounts {
		s.Counters[name] += n
	}
	for _, c := range d.conns {
		v := viewOfDefinition(c.def)
		c.describe(&v)
		ids := []int{}
		for _, m := range c.members {
			ids = append(ids, m.id)
		}
		server := c.uses
		server.Server, server.Folders, server.Editors = v, uris(c.folders), ids
		s.Servers = append(s.Servers, server)
		for name, n := range c.client.Counters() {
			s.Counters[name] += n
		}
	}
	slices.SortFunc(s.Servers, func(a, b editorapi.ServerStatus) int {
		return cmp.Or(cmp.Compare(a.Server.Name, b.Server.Name), slices.Compare(a.Editors, b.Editors), cmp.Compare(a.Server.PID, b.Server.PID))
	})
	return s
}

func uris(paths []string) []string {
	out := []string{}
	for _, p := range paths {
		out = append(out, fileuri.FromPath(p))
	}
	return out
}
