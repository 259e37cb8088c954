package daemon

import (
	"fmt"
	"slices"

	"github.com/mcp-editord/mcp-editord/config"
)

// key decides who shares a connection: editors whose keys for a server are equal. It is made of the definition, what
// that takes from the environment, and
//
//	session    the editor itself
//	workspace  the editor's folders
//	user       the editor's first folder, if that decides what runs
//
// What editors can answer does not count: see [clientCapabilities]. The start timeout counts because
// a client is made with it. All else that the digest leaves out is read from the editor's own
// definition whenever it is needed.
func key(def config.Definition, e *editor) string {
	who := []string{def.Name, def.Digest, def.StartTimeout.String()}
	for _, name := range slices.Sorted(slices.Values(def.Takes())) { // nobody's token serves another
		value, there := e.env[name] // a variable that is absent differs from an empty one
		who = append(who, fmt.Sprintf("%s %t %s", name, there, value))
	}
	if def.Scope == config.ScopeSession {
		who = append(who, fmt.Sprint(e.id))
	} else {
		who = append(who, e.deciding(def)...)
	}
	return hashOf(who...)
}

// deciding returns the folders of e that decide what def runs or offers. d.mu is held.
func (e *editor) deciding(def config.Definition) []string {
	switch {
	case def.Scope != config.ScopeUser:
		return e.real
	case def.FollowsFolder():
		return firstOf(e.real)
	}
	return nil
}
