package daemon

import (
	"maps"
	"reflect"
	"slices"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// reconcileAll is called when any configuration file has changed.
func (d *Daemon) reconcileAll() {
	d.reconciling.Lock()
	defer d.reconciling.Unlock()
	d.mu.Lock()
	editors := slices.Clone(d.editors)
	d.mu.Unlock()
	for _, e := range editors {
		d.reconcile(e, false)
	}
}

// reconcile makes true what the configuration, the approvals and the editor's
// folders say: which servers the editor has and on which connections it is. It is
// the only place where that changes while the editor is attached. Servers that the
// editor gets by it are started; those it has already are only when it is new.
//
// d.reconciling is held.
func (d *Daemon) reconcile(e *editor, isNew bool) {
	set := e.readConfiguration()
	problems := append(slices.Clone(set.Problems), d.approvals.Problems()...)
	decided, questions := e.readDecisions(set)
	var start, changed []*connection

	d.mu.Lock()
	if e.closed || d.closing {
		d.mu.Unlock()
		return
	}
	for _, def := range set.Servers {
		i := slices.IndexFunc(e.set.Servers, func(old config.Definition) bool { return old.Name == def.Name })
		if i >= 0 && !reflect.DeepEqual(e.set.Servers[i].Tools, def.Tools) {
			e.api.CatalogChanged(def.Name, []string{string(mcpclient.ListTools)}) // some are hidden, or no longer
		}
	}
	e.set, e.decided, e.questions = set, decided, questions
	before := maps.Clone(e.on)
	for _, def := range set.Servers {
		c := d.place(e, def)
		if c == nil {
			continue
		}
		e.on[def.Name] = c
		had := before[def.Name]
		delete(before, def.Name)
		changed = append(changed, c)
		if had != nil && had != c {
			changed = append(changed, had)
		}
		wanted := had != c || isNew && !slices.Contains(e.early, c) // what has failed early is not tried again
		if e.initialized && e.autoStart && wanted && c.idle() {
			start = append(start, c)
		}
	}
	for name, c := range before { // what is no longer defined, enabled or allowed
		delete(e.on, name)
		d.leave(c, e, 0)
		changed = append(changed, c)
	}
	initialized := e.initialized
	e.show()
	d.mu.Unlock()

	for _, c := range changed {
		c.updateRoots()
	}
	if !initialized {
		return
	}
	e.showProblems(problems)
	for _, c := range start {
		d.start(c, e, false)
	}
	d.askApprovals(e)
}

// readConfiguration merges all files that apply to e. The files of folders it
// no longer has are let go.
func (e *editor) readConfiguration() *config.Set {
	var folders []*config.File
	e.d.mu.Lock()
	have := e.folders
	e.d.mu.Unlock()
	for _, folder := range have {
		w := e.files[folder]
		if w == nil {
			w = e.d.store.Open(folder)
			e.files[folder] = w
		}
		folders = append(folders, w.Files()...)
	}
	for folder, w := range e.files {
		if !slices.Contains(have, folder) {
			w.Close()
			delete(e.files, folder)
		}
	}
	return config.Merge(e.d.exe, e.d.store.User(), e.own, folders)
}

// place puts e on the connection for def and returns it, or nil when def may not
// run. An editor that is alone on its connection takes it along when its folders change, unless
// what is run depends on them. d.mu is held.
func (d *Daemon) place(e *editor, def config.Definition) *connection {
	if !def.Enabled || !e.allowed(def) {
		return nil
	}
	k := key(def, e)
	old := e.on[def.Name]
	if old != nil && old.key == k {
		return old
	}
	c := d.conns[k]
	if c == nil && old != nil && old.def.Digest == def.Digest && old.soleMember(e) &&
		(!def.UsesFolder() || slices.Equal(firstOf(old.folders), firstOf(e.folders))) {
		delete(d.conns, old.key)
		old.key, old.def, old.folders = k, def, slices.Clone(e.folders)
		d.conns[k] = old
		return old
	}
	if old != nil {
		stay := d.opts.Linger
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

// show tells the editor of every server whose view has changed since it was last
// told. d.mu is held: what editors are told is in the order of what happened, and
// handing it over does not block.
func (e *editor) show() {
	if !e.initialized || e.closed {
		return
	}
	now := map[string]editorapi.Server{}
	for _, def := range e.set.Servers {
		view := e.d.view(e, def)
		now[def.Name] = view
		before, known := e.shown[def.Name]
		if known && reflect.DeepEqual(before, view) {
			continue
		}
		e.notify("editord/serverChanged", view)
		switch {
		case !known: // it may be one that others have started
			e.api.CatalogChanged(def.Name, e.on[def.Name].kinds())
		case before.State != view.State: // what it lists now, its client tells
			e.api.CatalogChanged(def.Name, nil)
		}
	}
	for name := range e.shown {
		if _, ok := now[name]; !ok {
			e.api.CatalogChanged(name, nil)
		}
	}
	e.shown = now
}
