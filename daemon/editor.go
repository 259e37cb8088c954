package daemon

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// editor is one attached editor: what it said about itself, and which connections it is on.
type editor struct {
	d         *Daemon
	log       *zap.Logger
	api       editorapi.Editor
	id        int
	name      string
	version   string
	caps      editorapi.Capabilities
	env       map[string]string
	umask     int
	trusted   *bool // whether you trust its folders, by the editor's own question; nil: it has no such question. Of an agent, see inherited; written by place, with d.mu held
	autoStart bool
	own       *config.File         // initializationOptions.servers
	ownClient *editorapi.OwnClient // nil when it has none
	agent     *editorapi.Agent     // nil for an editor

	askedCalls int // calls of this agent that wait for a person; guarded by d.mu

	ctx    context.Context // ends when the editor is gone
	cancel context.CancelFunc

	reconciling *rerun.Runner               // runs d.reconcile
	telling     *rerun.Runner               // runs tell
	looking     chan struct{}               // holds one while a command is looked up for a question
	adding      chan struct{}               // holds one while a server is being added
	problems    []config.Problem            // of the last place; used only by reconcile
	faults      map[string][]config.Problem // by file: those that it was last told of; used only by reconcile

	// Guarded by d.mu.
	initialized bool
	begun       bool // it has been reconciled since it was initialized
	stale       bool // it may be out of date: the next reconcile places it anew
	closed      bool
	after       int                          // the last id of an editor when it was closed
	used        int64                        // d.uses when the user last did something here
	trial       *trial                       // nil for none, see AddServer
	named       []string                     // clean paths of all its folders, in the editor's order
	files       map[string]*config.Workspace // the configuration of each of them
	folders     []string                     // named without second names of the same folder, as of the last reconcile
	real        []string                     // folders with symbolic links resolved when the editor named them: what keys are made of
	set         *config.Set
	decided     map[string]config.Decision          // by digest, of the servers of set
	questions   map[string]*editorapi.ApproveParams // by digest, of those that decided does not allow
	on          map[string]*connection              // by name of the server
	shown       map[string]editorapi.Server         // what it was last told of each server; written only by tell
	lists       map[string][]string                 // by name of the server: the lists that changed since it was told
	ended       map[subscription]*string            // why; those that it has not been told of yet
	follows     map[string]*follow                  // by name of the server: the logs that it follows
	answers     []<-chan struct{}                   // those that come before what it is told next; see answering
	asking      *approvalQuestion                   // the one that is open; nil when none is
	wanted      []*approvalQuestion                 // those that come next
	later       map[string]bool                     // digests that were put off
	early       []*connection                       // those started for it before it was initialized
}

var _ editorapi.Attachment = (*editor)(nil)

// headStart is how long the answer to initialize waits for the servers of an editor that learns
// their commands only from that answer.
const headStart = 3 * time.Second

// defaultUmask is the umask of servers whose editor does not name its own.
const defaultUmask = 0o022

// Attach implements [editorapi.Backend]. It puts the editor on connections that exist already, so
// that it knows their commands at once. Servers start when the editor is initialized, or before if
// it could not learn their commands then.
func (d *Daemon) Attach(ctx context.Context, api editorapi.Editor, p editorapi.AttachParams) (editorapi.Attachment, error) {
	e, err := d.admit(api, p)
	if err != nil {
		return nil, err
	}
	e.catchUp(ctx)
	if p.AutoStart && p.Agent == nil && !p.DynamicCommands && !p.Capabilities.MCP {
		ctx, cancel := context.WithTimeout(ctx, headStart)
		defer cancel()
		d.startEarly(ctx, e)
	}
	return e, nil
}

// startEarly starts the servers of e and waits for them until ctx ends.
func (d *Daemon) startEarly(ctx context.Context, e *editor) {
	var started []<-chan struct{}
	d.mu.Lock()
	for _, c := range e.on {
		if c.idle() {
			e.early = append(e.early, c)
			started = append(started, d.begin(c, e, false))
		}
	}
	d.mu.Unlock()
	for _, over := range started {
		if !await(ctx, over) {
			return
		}
	}
}

// admit makes an editor from its initialize.
func (d *Daemon) admit(api editorapi.Editor, p editorapi.AttachParams) (*editor, error) {
	e := &editor{
		d: d, api: api, name: p.ClientName, version: p.ClientVersion, caps: p.Capabilities,
		env: p.Environment, umask: defaultUmask, trusted: p.Trusted, autoStart: p.AutoStart, ownClient: p.OwnClient, agent: p.Agent,
		shown: map[string]editorapi.Server{},
		on:    map[string]*connection{}, lists: map[string][]string{}, later: map[string]bool{}, follows: map[string]*follow{},
		set: &config.Set{},
	}
	e.reconciling = rerun.New(func() { d.reconcile(e) })
	e.telling = rerun.New(e.tell)
	e.looking, e.adding = make(chan struct{}, 1), make(chan struct{}, 1)
	if p.Umask != nil {
		e.umask = *p.Umask
	}
	if e.env == nil {
		e.env = editorapi.Environment(os.Environ())
	}
	if p.Servers != nil {
		e.own = config.ParseServers(p.Servers, config.Source{URI: config.SourceEditor, Trusted: true})
	}
	if e.agent != nil {
		e.trusted = nil // only a person trusts
	}
	e.ctx, e.cancel = context.WithCancel(d.ctx)

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		e.cancel()
		return nil, &editorapi.Error{Kind: editorapi.KindInternal, Message: "the daemon is ending; attach again"}
	}
	if len(d.editors) >= d.most {
		e.cancel()
		d.log.Warn("refused an editor: there are too many", zap.String("name", e.name), zap.Int("limit", d.most))
		return nil, &editorapi.Error{
			Kind:    editorapi.KindBusy,
			Message: fmt.Sprintf("mcp-editord serves at most %d editors at once; close one and attach again", d.most),
		}
	}
	d.lastID++
	d.uses++
	e.id, e.used = d.lastID, d.uses
	e.log = d.log.With(zap.Int("editor", e.id))
	d.editors = append(d.editors, e)
	d.idleTimer.Stop()
	e.open(d.foldersFor(p))
	e.log.Info("an editor attached", zap.String("name", e.name), zap.String("version", e.version), zap.Strings("folders", e.named))
	return e, nil
}

// Initialized implements [editorapi.Attachment].
func (e *editor) Initialized() {
	e.d.mu.Lock()
	again := e.initialized
	e.initialized = true
	e.d.moved()
	e.d.mu.Unlock()
	if !again {
		e.reconciled(e.ctx)
	}
}

// ChangeFolders implements [editorapi.Attachment].
func (e *editor) ChangeFolders(folders []editorapi.Folder) {
	e.d.mu.Lock()
	named := paths(folders)
	same := e.closed || slices.Equal(e.named, named)
	if !same {
		e.open(named)
	}
	e.d.mu.Unlock()
	if !same {
		e.catchUp(e.ctx)
	}
}

// Used implements [editorapi.Attachment].
func (e *editor) Used() {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	e.d.uses++
	e.used = e.d.uses
}

// Close implements [editorapi.Attachment].
func (e *editor) Close() {
	e.cancel()
	d := e.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.closed {
		return
	}
	e.closed, e.after = true, d.lastID
	d.moved()
	e.open(nil)
	clear(e.follows)
	d.editors = slices.DeleteFunc(d.editors, func(other *editor) bool { return other == e })
	e.reconsiderAgents()
	for _, c := range e.on {
		d.leave(c, e, d.linger)
		c.updateRoots()
	}
	e.on = nil
	if len(d.editors) == 0 && !d.closing {
		d.idleTimer.Reset(d.opts.IdleTimeout)
	}
	e.log.Info("an editor left")
}

// definition returns the definition of a server in this editor's workspace, and its connection if
// the server may run. d.mu is held.
func (e *editor) definition(name string) (config.Definition, *connection, error) {
	for _, def := range e.set.Servers {
		if def.Name == name {
			return def, e.on[name], nil
		}
	}
	advice := "editord/servers lists the servers"
	if e.agent != nil { // which knows no method of ours
		advice = `"mcp-editord servers" in a terminal lists the servers`
	}
	return config.Definition{}, nil, &editorapi.Error{
		Kind: editorapi.KindServerNotFound, Server: name,
		Message: fmt.Sprintf("there is no server %q in this workspace; %s", name, advice),
	}
}

// placed returns the definition of a server and its connection, or the error that says why it has none. d.mu is held.
func (e *editor) placed(name string) (config.Definition, *connection, error) {
	def, c, err := e.definition(name)
	if err == nil && c == nil {
		err = e.notReady(def)
	}
	return def, c, err
}

// notReady returns the error for a server that cannot be called. Nobody is asked to decide on it for an agent: the
// editors of the same folder have the question already. d.mu is held.
func (e *editor) notReady(def config.Definition) error {
	if e.agent != nil && e.undecided(def) {
		return &editorapi.Error{
			Kind: editorapi.KindServerNotReady, Server: def.Name, Detail: string(editorapi.ServerNeedsApproval),
			Message: fmt.Sprintf("server %q waits for approval in an editor or: %s", def.Name, editorapi.AllowCommand(def.Name)),
		}
	}
	return editorapi.NotReady(e.d.view(e, def))
}

// complain shows why a server failed, in an editor that does not hear of it otherwise. A server that
// wants the user to sign in has not failed, and its error says all.
func (e *editor) complain(server string, err *wire.Error) {
	severity := editorapi.SeverityError
	if err.Kind == wire.KindSignInNeeded {
		severity = editorapi.SeverityWarning
	}
	e.api.ShowMessage(severity, "MCP "+wording.OfServer(server, err.Message))
}

// paths returns the paths of folders.
func paths(folders []editorapi.Folder) (named []string) {
	for _, f := range folders {
		path, err := fileuri.ToPath(f.URI)
		if err == nil && !slices.Contains(named, path) { // any other is not on this machine's disk, and means nothing to a server
			named = append(named, path)
		}
	}
	return named
}
