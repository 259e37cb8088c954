package agentconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// format is how the configuration of an agent is written. place are the members that lead to its
// servers. The text has no byte order mark.
type format interface {
	// decode reads the whole text. Its errors name line and column.
	decode(text []byte) (map[string]any, error)
	// set enters a server, or makes what starts it what the members say.
	set(text []byte, place []string, name string, members []member, foreign bool) ([]byte, error)
	// remove takes servers out. With empty, it also takes out what holds them when nothing is left in it.
	remove(text []byte, place []string, names []string, empty bool) ([]byte, error)
}

// newline returns the end of a line in the text.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// errTaken means that a name stands for a server that is not ours.
var errTaken = errors.New("is another server")

// server is what a configuration says about one server.
type server struct {
	Name    string
	Command string
	Args    []string
	URL     string
	entry   map[string]any // all of it; nil when it is not an entry
}

// ours reports whether an entry starts mcp-editord as a server.
func (s server) ours() bool {
	base := s.Command[strings.LastIndexAny(s.Command, `/\`)+1:]
	return strings.TrimSuffix(base, ".exe") == "mcp-editord" && len(s.Args) > 0 && s.Args[0] == "mcp"
}

// same reports whether two entries reach the same server.
func (s server) same(other server) bool {
	if s.URL != "" || other.URL != "" {
		return s.URL == other.URL
	}
	return s.Command != "" && s.Command == other.Command && slices.Equal(s.Args, other.Args)
}

// servers returns the servers at a place, in the order of their names. What is not an entry is left
// out.
func servers(config map[string]any, place []string) []server {
	at := serversAt(config, place)
	var found []server
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if s := readServer(name, at[name]); s.entry != nil {
			found = append(found, s)
		}
	}
	return found
}

// serversAt returns what is at a place.
func serversAt(config map[string]any, place []string) map[string]any {
	for _, name := range place {
		config, _ = config[name].(map[string]any)
	}
	return config
}

func readServer(name string, entry any) server {
	members, _ := entry.(map[string]any)
	s := server{Name: name, entry: members}
	switch command := members["command"].(type) {
	case string:
		s.Command, s.Args = command, texts(members["args"])
	case []any: // opencode
		if all := texts(command); len(all) > 0 {
			s.Command, s.Args = all[0], all[1:]
		}
	}
	for _, name := range []string{"url", "serverUrl", "httpUrl"} {
		if url, ok := members[name].(string); ok {
			s.URL = url
		}
	}
	return s
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
func difference(config, after map[string]any, place []string, name string) (Change, bool) {
	was, is := serversAt(config, place)[name], serversAt(after, place)[name]
	before, now := readServer(name, was).shown(), readServer(name, is).shown()
	if was != nil && !readServer(name, was).ours() {
		before = []string{"the server that has this name"}
	}
	c := Change{
		Place:   dotted(place, name),
		Removed: slices.DeleteFunc(slices.Clone(before), func(line string) bool { return slices.Contains(now, line) }),
		Added:   slices.DeleteFunc(now, func(line string) bool { return slices.Contains(before, line) }),
	}
	return c, len(c.Removed)+len(c.Added) > 0
}

// shown returns what may be shown of an entry of ours. What people added to it may be secret.
func (s server) shown() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(s.entry)) {
		if slices.Contains([]string{"command", "args", "type", "enabled", "tools"}, name) {
			all = append(all, name+": "+literal(s.entry[name]))
		} else {
			all = append(all, name)
		}
	}
	return all
}

// compared returns the differences of some servers in two texts. It fails unless the texts say the same
// about everything else.
func compared(f format, place, names []string, before, after []byte) ([]Change, error) {
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
func without(config map[string]any, place []string, names []string) {
	if len(place) == 0 {
		for _, name := range names {
			delete(config, name)
		}
		return
	}
	inner, ok := config[place[0]].(map[string]any)
	if !ok {
		return
	}
	without(inner, place[1:], names)
	if len(inner) == 0 {
		delete(config, place[0])
	}
}
