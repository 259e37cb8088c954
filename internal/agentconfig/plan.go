package agentconfig

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
)

// Plan is what would change in the file of one agent. [Plan.Apply] changes it.
type Plan struct {
	Path    string   // as people know it
	Changes []Change // none: the file is as it should be

	agent   Agent
	backups editfile.Backups
	entries []Entry
	replace bool
}

// Plan plans to enter servers. Without replace, a name that stands for another server is an error. With no servers, it
// plans to take out all entries that start mcp-editord.
func (a Agent) Plan(backups editfile.Backups, entries []Entry, replace bool) (*Plan, error) {
	path, err := a.path()
	if err != nil {
		return nil, err
	}
	is, err := editfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Plan{Path: path, agent: a, backups: backups, entries: entries, replace: replace}
	if _, p.Changes, err = p.change(is.Content); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// change makes the change in a content.
func (p *Plan) change(content []byte) ([]byte, []Change, error) {
	if len(p.entries) == 0 {
		return p.agent.disconnected(content, p.backups.Of(p.Path))
	}
	return p.agent.connected(content, p.entries, p.replace)
}

// Others returns the names of the servers in the agent's configuration that are not ours. A configuration that cannot be
// read has none.
func (p *Plan) Others() []string {
	found, _ := Source{Path: p.Path, format: p.agent.format, place: []string{p.agent.place}}.Read()
	return slices.Sorted(slices.Values(found.Names))
}

// servers returns the servers in a text; none when it cannot be read.
func (a Agent) servers(content []byte) map[string]any {
	config, _ := a.format.decode(content)
	return servers(config, a.place)
}

// connects reports whether a text has an entry of ours.
func (a Agent) connects(content []byte) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(a.servers(content))), ours)
}

// connected enters servers in a text.
func (a Agent) connected(text []byte, entries []Entry, replace bool) ([]byte, []Change, error) {
	after := text
	var names []string
	for _, e := range entries {
		config, err := a.format.decode(after)
		if err != nil {
			return nil, nil, err
		}
		if _, there := config[a.place]; there && servers(config, a.place) == nil {
			return nil, nil, fmt.Errorf("%q is not an object", a.place)
		}
		is, there := servers(config, a.place)[e.Name]
		members := a.members(e)
		switch {
		case ours(is):
			after, err = a.format.update(after, a.place, e.Name, slices.DeleteFunc(members, func(m member) bool {
				starts := m.name == "command" || m.name == "args"
				return !starts || literal(m.value) == literal(is.(map[string]any)[m.name])
			}))
		case there && !replace:
			err = fmt.Errorf("%s.%s is another server; take it out, or add --replace to put mcp-editord in its place", a.place, e.Name)
		case there:
			if after, err = a.format.remove(after, a.place, e.Name); err != nil {
				break
			}
			fallthrough
		default:
			after, err = a.format.add(after, a.place, e.Name, members)
		}
		if err != nil {
			return nil, nil, err
		}
		names = append(names, e.Name)
	}
	changes, err := compared(a.format, a.place, names, text, after)
	return after, changes, err
}

// disconnected takes our entries out of a text. When connecting one of the texts before made it, the
// result is that text.
func (a Agent) disconnected(text []byte, before [][]byte) ([]byte, []Change, error) {
	config, err := a.format.decode(text)
	if err != nil {
		return nil, nil, err
	}
	var entries []Entry
	var names []string
	after := text
	for _, name := range slices.Sorted(maps.Keys(servers(config, a.place))) {
		entry := servers(config, a.place)[name]
		if !ours(entry) {
			continue
		}
		entries = append(entries, Entry{name, command(entry)})
		names = append(names, name)
		if after, err = a.format.remove(after, a.place, name); err != nil {
			return nil, nil, err
		}
	}
	if len(entries) == 0 {
		return text, nil, nil
	}
	changes, err := compared(a.format, a.place, names, text, after)
	if err != nil {
		return nil, nil, err
	}
	for _, old := range before {
		if made, _, err := a.connected(old, entries, true); err == nil && bytes.Equal(made, text) && !a.connects(old) {
			return old, changes, nil
		}
	}
	return after, changes, nil
}

// Apply changes what is in the file now, which the agent may have written since, provided that the change is the one that
// was shown. It returns the path of a copy of the old file, "" when there was none.
//
// Agents do not lock their files in a way that others can take part in: what an agent writes between
// the last reading and the renaming is lost.
func (p *Plan) Apply() (backup string, err error) {
	is, err := editfile.ReadFile(p.Path)
	if err != nil {
		return "", err
	}
	content, changes, err := p.change(is.Content)
	if err != nil || !reflect.DeepEqual(changes, p.Changes) {
		return "", fmt.Errorf("%s has changed since; run the command again", p.Path)
	}
	if len(changes) == 0 {
		return "", nil
	}
	return is.Replace(p.backups, p.agent.Name, content)
}
