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
	set(text []byte, place []string, name string, members []member, foreign bool) (edit, error)
	// remove takes servers out. With empty, it also takes out what holds them when nothing is left in it.
	remove(text []byte, place []string, names []string, empty bool) ([]byte, error)
}

// edit is a text with one server changed.
type edit struct {
	text   []byte
	change Change
}

// Change is one change as people see it: only lines of our own entries, never those around them.
type Change struct {
	Place   string   `json:"place"` // the members that lead to it
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// splice replaces the bytes from one offset to another.
type splice struct {
	from, to int
	with     string
}

// apply makes splices, which do not overlap. Of two at one place, the first comes first.
func apply(text []byte, splices ...splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, s := range splices {
		out = append(append(out, text[at:s.from]...), s.with...)
		at = s.to
	}
	return append(out, text[at:]...)
}

// newline returns the end of a line in the text.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// position returns where an offset is, as people count.
func position(text []byte, at int) string {
	before := text[:at]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), at-bytes.LastIndexByte(before, '\n'))
}

// lines cuts a text into lines without their ends, and without the indentation of the last one.
func lines(text string) []string {
	all := strings.Split(strings.ReplaceAll(strings.Trim(text, "\r\n"), "\r\n", "\n"), "\n")
	last := all[len(all)-1]
	indent := last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	for i, line := range all {
		all[i] = strings.TrimPrefix(line, indent)
	}
	return all
}

// errTaken means that a name stands for a server that is not ours.
var errTaken = errors.New("is another server")

// server is what a configuration says about one server.
type server struct {
	Name    string
	Command string
	Args    []string
	URL     string
	members []string
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
	at := config
	for _, name := range place {
		at, _ = at[name].(map[string]any)
	}
	var found []server
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if members, ok := at[name].(map[string]any); ok {
			found = append(found, readServer(name, members))
		}
	}
	return found
}

func readServer(name string, members map[string]any) server {
	s := server{Name: name, members: slices.Sorted(maps.Keys(members))}
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

// unharmed fails unless two texts say the same about everything but some servers.
func unharmed(f format, place []string, names []string, before, after []byte) error {
	was, err := f.decode(before)
	if err != nil {
		return err
	}
	is, err := f.decode(after)
	if err != nil {
		return fmt.Errorf("the change would make it invalid: %w; enter it by hand", err)
	}
	without(was, place, names)
	without(is, place, names)
	if !reflect.DeepEqual(was, is) {
		return errors.New("the change would touch more than the entry; enter it by hand")
	}
	return nil
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
