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
	switch def.Scope {
	case config.ScopeSession:
		who = append(who, fmt.Sprint(e.id))
	case config.ScopeUser:
		if def.FollowsFolder() {
			who = append(who, firstOf(e.real)...)
		}
	default:
		who = append(who, e.real...)
	}
	return hashOf(who...)
}
