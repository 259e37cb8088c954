package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/roots"
)

// connection is one server and the editors that share it. It is the client's
// host, and its dialer (see dialer.go).
type connection struct {
	d      *Daemon
	name   string // of the server
	log    *zap.Logger
	client *mcpclient.Client
	memory *budget.Budget
	roots  *roots.Set

	dialing   chan struct{} // holds one while the server is being started or reached
	logGrew   atomic.Bool   // editors are about to be told of lines in the log
	comparing sync.Mutex    // held while tools are compared in the background; taken before d.mu

	// Guarded by d.mu.
	key         string
	def         config.Definition
	folders     []string         // for workspace scope: those of its key
	members     []*editor        // in the order in which they joined
	used        map[*editor]bool // the members that have sent the server a request
	env         map[string]string
	umask       int // like env as of the last start: see environment
	status      mcpclient.Status
	failure     *editorapi.ServerError // what editors are told of the error of status
	account     *account               // to sign in with; nil before the server was dialled, and where it has no use for one
	offerings   []*offering            // all of the same lists, the newest last
	renewing    *mcpclient.Transition  // the last time that it was initialized anew, nil for never
	starting    *start                 // the last start asked for, while it is under way, inputs included
	rootsAsked  bool                   // the server has asked for the roots since it was started
	rootsMissed bool                   // they have changed since then, and it was not told
	halted      bool                   // somebody stopped the server: it does not start by itself
	uses        editorapi.ServerStatus // what status says that it uses, and no more
	problems    []string               // why roots may be missing or late; replaced as a whole
	linger      *time.Timer
	asked       asked
	said        *said         // what it said of itself when it was last ready; nil before that
	tried       bool          // it is known to have run, or to have failed to
	begun       time.Time     // when its life began; zero before the first one
	took        time.Duration // from then until it was ready, the last time that it was
	keptName    string        // under which is kept what it offers
	earlier     *reading      // what is kept of it; nil when nobody has asked, there was no memory, or said is there
	pins        *pinning      // the one that counts; nil until an agent needs it
	held        held          // what agents do not get

	holders map[string][]*editor // by URI of a resource: who hears of it
}

var (
	_ mcpclient.Host = (*connection)(nil)
	_ wire.Dialer    = (*connection)(nil)
)

// newConnection makes a connection for def as e has it, with no editor on it yet. d.mu is held.
func (d *Daemon) newConnection(key string, def config.Definition, e *editor) *connection {
	c := &connection{
		d: d, name: def.Name, log: d.log.With(zap.String("server", def.Name)), key: key, def: def,
		folders: slices.Clone(e.folders), used: map[*editor]bool{},
		dialing: make(chan struct{}, 1),
		status:  mcpclient.Status{State: mcpclient.StateStopped}, holders: map[string][]*editor{},
	}
	env, of := d.environment(def, []*editor{e})
	c.env, c.umask = env, of.umask
	info, _ := json.Marshal(map[string]string{"name": "mcp-editord", "version": d.opts.Version}) // two strings are always JSON
	c.memory = d.memory.Child(serverMemory)
	c.client = mcpclient.New(mcpclient.Options{
		Name: def.Name, Dialer: c, Host: c, ClientInfo: info, Capabilities: clientCapabilities(def, []*editor{e}), Memory: c.memory,
		Protocol: def.Protocol, LastVersion: d.eras[def.Digest], StartTimeout: def.StartTimeout, CallTimeout: def.CallTimeout,
		Log: d.log.Named("mcp").With(zap.String("server", def.Name)),
	})
	c.roots = roots.New(roots.Config{Entries: []string{}}, d.hub, c.rootsChanged, c.rootsTroubled, d.log.Named("roots").With(zap.String("server", def.Name)))
	return c
}

// join puts e on the connection. d.mu is held.
func (c *connection) join(e *editor) {
	if !slices.Contains(c.members, e) {
		c.members = append(c.members, e)
		c.declare()
	}
	if c.linger != nil {
		c.linger.Stop()
		c.linger = nil
	}
}

// leave takes e off the connection. The connection ends when it has had no editors for stay. d.mu
// is held.
func (d *Daemon) leave(c *connection, e *editor, stay time.Duration) {
	c.members = slices.DeleteFunc(c.members, func(m *editor) bool { return m == e })
	delete(c.used, e)
	c.declare()
	c.unsubscribeAll(e)
	if len(c.members) > 0 || d.closing || d.conns[c.key] != c {
		return
	}
	if stay == 0 {
		// A new definition with the same key must not find it.
		delete(d.conns, c.key)
		d.running.Go(c.finish)
		return
	}
	if c.linger == nil {
		c.linger = time.AfterFunc(stay, func() {
			d.mu.Lock()
			gone := len(c.members) == 0 && d.conns[c.key] == c && !d.closing
			if gone {
				delete(d.conns, c.key)
				d.running.Go(c.finish)
			}
			d.mu.Unlock()
		})
	}
}

// finish stops a connection that nobody can join any more, because it is no longer in d.conns or
// the daemon is closing.
func (c *connection) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := c.client.Stop().Wait(ctx); err != nil {
		c.log.Warn("stopping", zap.Error(err))
	}
	c.end()
}

// end releases everything that the connection holds.
func (c *connection) end() {
	c.d.mu.Lock()
	c.dropEarlier()
	c.d.mu.Unlock()
	c.client.Close()
	c.roots.Close()
	counts := c.client.Counters()
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.d.dropAccounts()
	for name, n := range counts {
		c.d.pastCounts[name] += n
	}
}

// firstMember returns the editor that has been on the connection longest, nil for none.
func (c *connection) firstMember() *editor {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if len(c.members) == 0 {
		return nil
	}
	return c.members[0]
}

// idle reports whether the server does not run and may be started: a server that somebody stopped
// stays stopped. d.mu is held.
func (c *connection) idle() bool {
	return c.starting == nil && !c.halted &&
		(c.status.State == mcpclient.StateStopped || c.status.State == mcpclient.StateFailed)
}

// updateRoots gives the roots the folders there are now: those of the key for workspace scope,
// those of all editors for user scope, those of the one editor for session scope. d.mu is held.
func (c *connection) updateRoots() {
	folders := c.folders
	if c.def.Scope != config.ScopeWorkspace {
		folders = nil
		for _, e := range c.members {
			for _, f := range e.folders {
				if !slices.Contains(folders, f) {
					folders = append(folders, f)
				}
			}
		}
	}
	want := roots.Config{Folders: folders}
	switch {
	case c.def.Roots.None:
		want.Entries = []string{}
	case c.def.Roots.Entries != nil:
		want.Folders, want.Entries = foldersOf(c.def.Source, folders), []string{}
		vars := c.vars()
		for _, entry := range c.def.Roots.Entries {
			if path, ok := config.ExpandBind(entry, vars, nil); ok {
				want.Entries = append(want.Entries, path)
			}
		}
	}
	c.roots.Update(want)
}

// rootsChanged tells the server that its roots have changed (MCP 2025-11-25, Client, Roots, Root
// List Changes).
func (c *connection) rootsChanged() {
	c.d.mu.Lock()
	ready := c.status.State == mcpclient.StateReady
	c.rootsMissed = !ready && c.rootsAsked
	c.d.mu.Unlock()
	if !ready {
		return // it is told when it is ready, unless it asks before
	}
	if err := c.client.Notify(c.d.ctx, wire.MethodRootsChanged, nil); err != nil {
		c.log.Warn("telling the server that its roots changed", zap.Error(err))
	}
}

// rootsTroubled tells the editors why roots may be missing or late.
func (c *connection) rootsTroubled() {
	var problems []string
	for _, problem := range c.roots.Problems() { // they have names of folders
		problems = append(problems, safetext.Line(problem, math.MaxInt))
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.problems = problems
	c.show()
}

// StatusChanged implements [mcpclient.Host].
func (c *connection) StatusChanged(s mcpclient.Status) {
	for _, e := range c.changed(s, failureOf(s)) {
		e.complain(c.name, s.Err)
	}
}

// changed takes a new status, and returns the editors that hear of a failure in no other way.
func (c *connection) changed(s mcpclient.Status, failure *editorapi.ServerError) (complain []*editor) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	wasReady := c.status.State == mcpclient.StateReady
	c.status, c.failure = s, failure
	c.tries(s)
	if s.State == mcpclient.StateStarting && s.PID == 0 { // a new life, which knows no roots
		c.begun = time.Now()
		c.rootsAsked, c.rootsMissed = false, false
		c.uses.Roots = nil
	}
	if s.State == mcpclient.StateReady {
		if !wasReady {
			c.took = time.Since(c.begun)
		}
		c.d.rememberEra(c.def.Digest, s.ProtocolVersion)
		c.d.well(c.def.Digest)
		c.repin()
		if c.rootsMissed && !c.d.closing {
			c.d.running.Go(c.rootsChanged) // not from here: the client waits for this function
		}
		c.renewIfDue() // who came while it started may bring more than it was told
	}
	c.show()
	if s.Err == nil {
		return nil
	}
	if s.State == mcpclient.StateFailed && s.Err.Kind == wire.KindUnauthorized && !c.d.closing {
		c.d.running.Go(c.forgetRefused)
	}
	for _, e := range c.members {
		if e.trial != nil && e.trial.server == c.def.Name && s.State == mcpclient.StateRestarting {
			e.trial.ended()
		}
		switch {
		case e.agent != nil || e.isTold(c.def.Digest, s.Err.Message):
		case e.caps.MCP && c.starting != nil: // its plugin says what fails as it attaches
			time.AfterFunc(toldTime, func() { c.toldIn(e, s.Err.Message) })
		case !e.caps.MCP && s.State == mcpclient.StateFailed:
			complain = append(complain, e)
		}
	}
	if len(complain) > 0 {
		c.d.tells(c.def.Digest, s.Err.Message)
	}
	return complain
}

// toldIn notes that the plugin of e has said why the server failed, if it is still there and the server still fails.
func (c *connection) toldIn(e *editor, why string) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if !e.closed && c.status.Err != nil {
		c.d.tells(c.def.Digest, why)
	}
}

// rememberEra keeps the version that a server was found to speak, for later clients of the same
// definition. d.mu is held.
func (d *Daemon) rememberEra(digest, version string) {
	if _, known := d.eras[digest]; !known && len(d.eras) >= maxEras {
		clear(d.eras) // forgetting one costs a probe
	}
	d.eras[digest] = version
}

// show tells every editor on the connection what has changed. d.mu is held.
func (c *connection) show() {
	for _, e := range c.members {
		e.telling.Again()
	}
}

// CatalogChanged implements [mcpclient.Host].
func (c *connection) CatalogChanged(kinds []wire.ListKind) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.dropOutdated(c.client.Lists())
	c.repin()
	c.listed(editorKinds(kinds))
	c.d.catalogs.note(c)
}

// editorKinds returns the names that editors know lists by: they have one for resources and templates.
func editorKinds(kinds []wire.ListKind) (names []string) {
	for _, k := range kinds {
		if name := k.Capability(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Notification implements [mcpclient.Host].
func (c *connection) Notification(method string, params json.RawMessage) {
	n := &editorapi.Notification{Server: c.name, Method: method, Params: params}
	for e, subscribed := range c.audience(method, params) {
		if err := e.api.Relay(n, subscribed); errors.Is(err, editorapi.ErrLeftOut) {
			c.d.leftOut.Add(1)
		}
	}
}

// audience returns the editors that hear of a notification of the server. For an update of a
// resource it also returns which subscriptions of each editor it is for.
func (c *connection) audience(method string, params json.RawMessage) map[*editor][]string {
	updated := ""
	if method == wire.MethodUpdated {
		updated = rawjson.String(params, "uri")
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	to := map[*editor][]string{}
	if method == wire.MethodUpdated {
		to = c.subscribers(updated)
	} else {
		for _, e := range c.members {
			to[e] = nil
		}
	}
	maps.DeleteFunc(to, func(e *editor, _ []string) bool { return !e.initialized })
	return to
}
