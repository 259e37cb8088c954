package daemon

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// reconcileAll reconciles every editor. It is called when a configuration file or a decision has
// changed. It does not wait for anything.
func (d *Daemon) reconcileAll() {
	if d.secrets.Use(d.store.User().Credentials) {
		d.mu.Lock()
		accounts := slices.Collect(maps.Values(d.accounts))
		d.mu.Unlock()
		for _, a := range accounts {
			a.auth.StoreMoved()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.editors {
		e.stale = true
		e.reconciling.Again()
	}
}

// reconcile makes true what the configuration, the decisions and the editor's folders say, where
// that may have changed. For an editor that is initialized, it then starts the servers that are new
// to it; the first time, it also starts those that the editor has already. For an agent it starts only
// those that were never ready.
//
// It runs on e.reconciling, and touches the disk with no lock held.
func (d *Daemon) reconcile(e *editor) {
	d.mu.Lock()
	stale := e.stale
	e.stale = false
	d.mu.Unlock()
	var placed []*connection
	if stale {
		placed = d.place(e)
	}

	d.mu.Lock()
	if !e.initialized || e.closed || d.closing {
		d.mu.Unlock()
		return
	}
	var start []*connection
	for _, def := range e.set.Servers {
		c := e.on[def.Name]
		unasked := c != nil && canAnswer(e.caps, modeForm) && len(d.missingInputs(c, e)) > 0
		wanted := slices.Contains(placed, c) || !e.begun && (unasked || !slices.Contains(e.early, c)) // do not retry what failed early, unless there was nobody to ask
		switch {
		case c == nil || !e.autoStart || !wanted:
		case c.idle():
			start = append(start, c)
		case c.starting != nil && canAnswer(e.caps, modeForm):
			over := c.starting.over
			d.running.Go(func() { d.startForAnswer(c, e, over) })
		}
		if c != nil {
			c.renewIfDue()
		}
	}
	if idle := start; e.agent != nil && len(idle) > 0 {
		start = nil
		d.running.Go(func() { d.startUnknown(e, idle) })
	}
	e.begun = true
	e.telling.Again()
	d.mu.Unlock()

	if e.agent == nil {
		e.showProblems(e.problems)
	}
	for _, c := range start {
		d.start(c, e, false)
	}
	d.askApprovals(e)
}

// place reads the configuration and the decisions, and puts e on the connections of its servers.
// Nothing else changes these while the editor is attached. It returns the connections that are new
// to the editor. Only reconcile calls it.
func (d *Daemon) place(e *editor) (placed []*connection) {
	var onTrial *config.File
	d.mu.Lock()
	if e.trial != nil {
		onTrial = e.trial.file
	}
	d.mu.Unlock()
	set, folders, real, files := e.setWith(onTrial)
	d.mu.Lock()
	e.trusted = e.inherited(real)
	d.mu.Unlock()
	records := d.approvals.Records()
	e.problems = append(slices.Clone(set.Problems), records.Problems()...)
	decided, questions := e.decisions(set, records)
	set.KeepBuiltin(func(def config.Definition) bool { return decided[def.Asks] == config.Allow })

	d.mu.Lock()
	defer d.mu.Unlock()
	if e.closed || d.closing {
		return nil
	}
	for _, def := range set.Servers {
		i := slices.IndexFunc(e.set.Servers, func(old config.Definition) bool { return old.Name == def.Name })
		if i >= 0 && !e.sees(e.set.Servers[i], nil, nil).same(e.sees(def, nil, nil)) {
			e.listed(def.Name, string(wire.ListTools)) // some are now hidden, or no longer hidden
		}
	}
	for _, f := range append(files, d.store.User(), e.own) {
		if f != nil && !slices.ContainsFunc(e.problems, func(p config.Problem) bool { return p.URI == f.Source.URI && p.Severity == "error" }) {
			d.well(e.faultsOf(f.Source.URI))
		}
	}
	if !slices.Equal(e.real, real) {
		defer e.reconsiderAgents()
	}
	e.folders, e.real, e.set, e.decided, e.questions = folders, real, set, decided, questions
	before := maps.Clone(e.on)
	changed := map[*connection]bool{}
	for _, def := range set.Servers {
		c := d.connectionFor(e, def)
		if c == nil {
			continue
		}
		e.on[def.Name] = c
		c.keepAs(keptName(def, e))
		had := before[def.Name]
		delete(before, def.Name)
		changed[c] = true
		if had != nil {
			changed[had] = true
		}
		if had != c {
			placed = append(placed, c)
		}
	}
	for name, c := range before { // what is no longer defined, enabled or allowed
		delete(e.on, name)
		d.leave(c, e, 0)
		changed[c] = true
	}
	for c := range changed {
		c.repin()
		if e.agent != nil && c.held.question != nil { // from now on editors are asked
			for _, other := range c.members {
				other.reconciling.Again()
			}
		}
		c.updateRoots()
	}
	e.telling.Again()
	return placed
}

// workspace returns the folders of e, as the editor named them and with symbolic links resolved,
// and their configuration files, with the servers marked that the editor's own client runs. A folder
// with two names counts under the first.
func (e *editor) workspace() (named, real []string, files []*config.File) {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	for _, path := range e.named {
		w := e.files[path]
		if r := w.Real(); !slices.Contains(real, r) {
			named, real = append(named, path), append(real, r)
			for _, f := range w.Files() {
				files = append(files, e.ofOwnClient(f))
			}
		}
	}
	return named, real, files
}

// ofOwnClient returns a file of a folder with its servers marked if the editor's own client runs them.
func (e *editor) ofOwnClient(f *config.File) *config.File {
	if own := e.ownClient; own != nil && slices.Contains(own.Files, f.Source.Path()) {
		return f.RunBy(own.Name)
	}
	return f
}

// open makes named the folders of e: it opens those that are new, and closes those that are gone.
// d.mu is held; open does not wait for the disk.
func (e *editor) open(named []string) {
	before := e.files
	e.named, e.files = named, map[string]*config.Workspace{}
	for _, path := range named {
		w := before[path]
		if w == nil {
			w = e.d.store.Open(path)
		}
		e.files[path] = w
		delete(before, path)
	}
	for _, w := range before {
		w.Close()
	}
}

// patience is how long an editor waits for the disk of its own folders.
const patience = 2 * time.Second

// catchUp waits until e is reconciled with its folders and the configuration, as they are now on the disk. It waits
// for the disk no longer than patience: what hangs takes effect when it answers.
func (e *editor) catchUp(ctx context.Context) {
	readings := []<-chan struct{}{e.d.store.ReadUser()}
	e.d.mu.Lock()
	for _, w := range e.files {
		readings = append(readings, w.Read())
	}
	e.d.mu.Unlock()
	reading, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, read := range readings {
		if !await(reading, read) {
			e.d.running.Go(func() {
				if await(e.ctx, read) {
					e.outdate()
					e.reconciling.Again()
				}
			})
		}
	}
	e.outdate()
	e.reconciled(ctx)
}

// outdate marks e as out of date: the next reconcile places it anew.
func (e *editor) outdate() {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	e.stale = true
}

// reconciled waits until e has been reconciled once more, but no longer than patience.
func (e *editor) reconciled(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	await(ctx, e.reconciling.Again())
}

// connectionFor puts e on the connection for def and returns it, or nil when def may not run. An
// editor that is alone on its connection takes it along when its folders change, unless they decide
// what runs. d.mu is held.
func (d *Daemon) connectionFor(e *editor, def config.Definition) *connection {
	if !def.Enabled || def.RunBy != "" || !e.allowed(def) {
		return nil
	}
	k := key(def, e)
	old := e.on[def.Name]
	if old != nil && old.key == k {
		return old
	}
	c := d.conns[k]
	if c == nil && old != nil && old.def.Digest == def.Digest && len(old.members) == 1 && // which is e
		(!def.FollowsFolder() || slices.Equal(firstOf(old.folders), firstOf(e.folders))) {
		delete(d.conns, old.key)
		old.key, old.def, old.folders = k, def, slices.Clone(e.folders)
		d.conns[k] = old
		return old
	}
	if old != nil {
		stay := d.linger
		if old.def.Digest != def.Digest {
			stay = 0
		}
		d.leave(old, e, stay)
	}
	if c == nil {
		c = d.newConnection(k, def, e)
		d.conns[k] = c
	}
	c.join(e)
	return c
}

func firstOf(list []string) []string { return list[:min(1, len(list))] }
