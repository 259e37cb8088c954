package agentconfig

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// reader reads the configuration of a program.
type reader interface {
	// standard returns the whole text as a JSON object. Its errors name line and column.
	standard(text []byte) ([]byte, error)
}

// format is how the configuration of an agent is written. place is the member that has its servers.
type format interface {
	reader
	// decode reads the whole text. Its errors name line and column.
	decode(text []byte) (map[string]any, error)
	// add enters a server that is not there.
	add(text []byte, place, name string, members []member) ([]byte, error)
	// update changes members of a server.
	update(text []byte, place, name string, members []member) ([]byte, error)
	// remove takes a server out.
	remove(text []byte, place, name string) ([]byte, error)
}

// servers returns what a configuration says about each server.
func servers(config map[string]any, place string) map[string]any {
	at, _ := config[place].(map[string]any)
	return at
}

// command returns the words of the command that an entry starts; nil when it starts none.
func command(entry any) []string {
	members, _ := entry.(map[string]any)
	start := members["command"]
	if start == nil {
		start = members["cmd"] // goose
	}
	switch command := start.(type) {
	case string:
		return append([]string{command}, texts(members["args"])...)
	case []any: // opencode
		return texts(command)
	}
	return nil
}

// ours reports whether an entry starts mcp-editord as a server.
func ours(entry any) bool {
	words := command(entry)
	if len(words) < 2 || words[1] != "mcp" {
		return false
	}
	program := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
	return strings.TrimSuffix(program, ".exe") == "mcp-editord"
}

// texts returns the strings of a list; nil if it has anything else.
func texts(list any) []string {
	items, _ := list.([]any)
	all := make([]string, 0, len(items))
	for _, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil
		}
		all = append(all, text)
	}
	return all
}

// Change is one change as people see it: only our own entry, never what is around it.
type Change struct {
	Place   string   `json:"place"` // the members that lead to it
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// difference returns what changes in a server; false when nothing does.
func difference(config, after map[string]any, place, name string) (Change, bool) {
	was, there := servers(config, place)[name]
	before, now := shown(was), shown(servers(after, place)[name])
	if there && !ours(was) {
		before = []string{"the server that has this name"}
	}
	c := Change{
		Place:   place + "." + name,
		Removed: slices.DeleteFunc(slices.Clone(before), func(line string) bool { return slices.Contains(now, line) }),
		Added:   slices.DeleteFunc(now, func(line string) bool { return slices.Contains(before, line) }),
	}
	return c, len(c.Removed)+len(c.Added) > 0
}

// shown returns what may be shown of an entry of ours. What people added to it may be secret.
func shown(entry any) (all []string) {
	members, _ := entry.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains([]string{"command", "args", "type", "enabled", "tools"}, name) {
			all = append(all, name+": "+literal(members[name]))
		} else {
			all = append(all, name)
		}
	}
	return all
}

// compared returns the differences of some servers in two texts. It fails unless the texts say the same
// about everything else.
func compared(f format, place string, names []string, before, after []byte) ([]Change, error) {
	was, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	is, err := f.decode(after)
	if err != nil {
		return nil, fmt.Errorf("the change would make it invalid: %w; enter it by hand", err)
	}
	var changes []Change
	for _, name := range names {
		if c, differs := difference(was, is, place, name); differs {
			changes = append(changes, c)
		}
	}
	without(was, place, names)
	without(is, place, names)
	if !reflect.DeepEqual(was, is) {
		return nil, errors.New("the change would touch more than the entry; enter it by hand")
	}
	return changes, nil
}

// without removes servers from a configuration, and what holds them when nothing is left in it.
func without(config map[string]any, place string, names []string) {
	at, ok := config[place].(map[string]any)
	for _, name := range names {
		delete(at, name)
	}
	if ok && len(at) == 0 {
		delete(config, place)
	}
}
