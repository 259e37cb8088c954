package daemon

import (
	"slices"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// An agent that did not choose its folders works where an editor does, and a folder that somebody trusts
// in an editor is trusted for the agents in it.

// foldersFor returns the folders that an editor has when it attaches: those that it sent. An agent that
// did not choose them gets those of the editor used last that has the place where it works within one
// of them. d.mu is held.
func (d *Daemon) foldersFor(p editorapi.AttachParams) []string {
	if p.Agent != nil && p.Agent.Within != "" {
		var host *editor
		for _, other := range d.editors {
			if other.agent == nil && other.has(p.Agent.Within) && (host == nil || other.used > host.used) {
				host = other
			}
		}
		if host != nil {
			return slices.Clone(host.named)
		}
	}
	return paths(p.Folders)
}

// has reports whether a path is in one of the folders of e, under either of their names. d.mu is held.
func (e *editor) has(path string) bool {
	return slices.ContainsFunc(slices.Concat(e.named, e.real), func(folder string) bool {
		_, inside := within(folder, path)
		return inside
	})
}

// inherited returns what e is told of trust: what it said itself, and for an agent yes where an editor
// that has its first folder open said so. That is the folder which servers may enter. real are the
// folders of e as in editor.real. d.mu is held.
func (e *editor) inherited(real []string) *bool {
	if e.agent == nil {
		return e.trusted
	}
	for _, other := range e.d.editors {
		if other.agent == nil && other.trusted != nil && *other.trusted && other.shares(firstOf(real)) {
			return other.trusted
		}
	}
	return nil
}

// reconsiderAgents has all agents placed anew, because an editor whose trust they may inherit has come,
// gone, or opened other folders. d.mu is held.
func (e *editor) reconsiderAgents() {
	if e.agent != nil || e.trusted == nil {
		return
	}
	for _, other := range e.d.editors {
		if other.agent != nil {
			other.stale = true
			other.reconciling.Again()
		}
	}
}
