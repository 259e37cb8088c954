package daemon

import (
	"maps"
	"slices"

	"github.com/mcp-editord/mcp-editord/config"
)

// followed returns the names of the variables that come from the richest environment of a workspace. What
// agents pass on is often so little that a server does not find its programs with it.
func followed() []string { return []string{"PATH", "HOME"} }

// environment returns the environment of a server of def whose connection has these members, and the editor
// that it comes from: the first that is not an agent, else the first. Only [followed] are those of the richest
// environment, see [editor.richer]: in the workspace or, for user scope, on the connection. What def
// takes stays, because it is part of the key. There must be a member, and the environment must not be changed. d.mu is held.
func (d *Daemon) environment(def config.Definition, members []*editor) (env map[string]string, of *editor) {
	of = members[0]
	if i := slices.IndexFunc(members, func(m *editor) bool { return m.agent == nil }); i >= 0 {
		of = members[i]
	}
	near := members
	if def.Scope != config.ScopeUser {
		near = d.editors
	}
	richest := of
	for _, e := range near {
		if e.richer(richest) && (def.Scope == config.ScopeUser || e.near(of)) {
			richest = e
		}
	}
	env = of.env
	for _, name := range followed() {
		value, there := richest.env[name]
		if there && value != env[name] && !slices.Contains(def.Takes(), name) {
			env = maps.Clone(env)
			env[name] = value
		}
	}
	return env, of
}

// richer reports whether the environment of e counts before that of other: an editor's before an agent's,
// whose project may have made it, then the one with more variables.
func (e *editor) richer(other *editor) bool {
	if (e.agent == nil) != (other.agent == nil) {
		return e.agent == nil
	}
	return len(e.env) > len(other.env)
}

// near reports whether two editors work in the same place: whether they have a folder in common, or
// neither has one. d.mu is held.
func (e *editor) near(other *editor) bool {
	if len(e.named) == 0 && len(other.named) == 0 {
		return true
	}
	return e.shares(other.real)
}

// takeEnvironment takes the environment and the umask of those on the connection, as of now. A connection that
// nobody is on keeps what it had. d.mu is held.
func (c *connection) takeEnvironment() {
	if len(c.members) > 0 {
		env, of := c.d.environment(c.def, c.members)
		c.env, c.umask = env, of.umask
	}
}
