package agentconfig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
)

// byteOrderMark may begin a file, and stays.
var byteOrderMark = []byte("\ufeff")

// Plan is what would change in the file of one agent. [Plan.Apply] changes it.
type Plan struct {
	Path    string   // as people know it
	Changes []Change // none: the file is as it should be
	Removes bool     // the whole file goes: connecting made it, and nothing else is in it

	agent   Agent
	backups Backups
	change  func(path string, is File) (outcome, error) // makes the change of what is in the file now
	was     File
	outcome outcome
}

// outcome is what a change makes of a file.
type outcome struct {
	content []byte
	changes []Change
	removes bool
}

// Connect plans to enter servers. Without replace, a name that stands for another server is an error.
func (a Agent) Connect(env Environment, backups Backups, entries []Entry, replace bool) (*Plan, error) {
	return a.plan(env, backups, func(_ string, is File) (outcome, error) {
		return a.connected(is.Content, entries, replace)
	})
}

// Disconnect plans to take out all entries that start mcp-editord.
func (a Agent) Disconnect(env Environment, backups Backups) (*Plan, error) {
	return a.plan(env, backups, func(path string, is File) (outcome, error) {
		if !is.There {
			return outcome{}, nil
		}
		return a.disconnected(is.Content, func() [][]byte { return backups.of(path) })
	})
}

// plan reads the agent's file and makes a change of it.
func (a Agent) plan(env Environment, backups Backups, change func(path string, is File) (outcome, error)) (*Plan, error) {
	path, err := a.path(env)
	if err != nil {
		return nil, err
	}
	p := &Plan{Path: path, agent: a, backups: backups, change: change}
	if p.was, err = ReadFile(path); err != nil {
		return nil, err
	}
	if p.outcome, err = change(path, p.was); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.Changes, p.Removes = p.outcome.changes, p.outcome.removes
	return p, nil
}

// path returns the agent's file: the one that has an entry of ours, else the first that exists, else
// the usual one.
func (a Agent) path(env Environment) (string, error) {
	paths, err := a.paths(env)
	if err != nil {
		return "", err
	}
	usual := paths[len(paths)-1]
	for _, path := range slices.Backward(paths) {
		is, err := ReadFile(path)
		if err != nil || !is.There {
			continue
		}
		if usual = path; a.connects(is.Content) {
			return path, nil
		}
	}
	return usual, nil
}

// connected enters servers in a text.
func (a Agent) connected(content []byte, entries []Entry, replace bool) (outcome, error) {
	text, marked := bytes.CutPrefix(content, byteOrderMark)
	if _, err := a.format.decode(text); err != nil {
		return outcome{}, err
	}
	after := text
	var names []string
	for _, e := range entries {
		var err error
		after, err = a.format.set(after, a.place, e.Name, a.members(e), replace)
		if errors.Is(err, errTaken) {
			err = fmt.Errorf("%s is another server; take it out, or add --replace to put mcp-editord in its place", dotted(a.place, e.Name))
		}
		if err != nil {
			return outcome{}, err
		}
		names = append(names, e.Name)
	}
	changes, err := compared(a.format, a.place, names, text, after)
	return outcome{content: marking(after, marked), changes: changes}, err
}

// disconnected takes our entries out of a text. When connecting one of the texts before made it, the
// result is that text; when connecting made the file, nothing is left.
func (a Agent) disconnected(content []byte, before func() [][]byte) (outcome, error) {
	text, marked := bytes.CutPrefix(content, byteOrderMark)
	config, err := a.format.decode(text)
	if err != nil {
		return outcome{}, err
	}
	var entries []Entry
	var names []string
	result := outcome{content: content}
	for _, s := range servers(config, a.place) {
		if s.ours() {
			entries = append(entries, Entry{s.Name, s.Command, s.Args})
			names = append(names, s.Name)
			c, _ := difference(config, nil, a.place, s.Name)
			result.changes = append(result.changes, c)
		}
	}
	if len(entries) == 0 {
		return result, nil
	}
	texts := before()
	for _, old := range texts {
		if made, err := a.connected(old, entries, true); err == nil && bytes.Equal(made.content, content) && !a.connects(old) {
			result.content = old
			return result, nil
		}
	}
	if made, err := a.connected(nil, entries, true); err == nil && len(texts) == 0 && bytes.Equal(made.content, content) {
		result.removes = true
		return result, nil
	}
	after, err := a.format.remove(text, a.place, names, !a.held(texts))
	if err != nil {
		return outcome{}, err
	}
	_, err = compared(a.format, a.place, names, text, after)
	result.content = marking(after, marked)
	return result, err
}

// connects reports whether a text has an entry of ours.
func (a Agent) connects(content []byte) bool {
	config, err := a.format.decode(bytes.TrimPrefix(content, byteOrderMark))
	return err == nil && slices.ContainsFunc(servers(config, a.place), server.ours)
}

// held reports whether one of the texts had the place of servers before we entered any.
func (a Agent) held(texts [][]byte) bool {
	for _, old := range texts {
		config, err := a.format.decode(bytes.TrimPrefix(old, byteOrderMark))
		if err == nil && !slices.ContainsFunc(servers(config, a.place), server.ours) {
			return serversAt(config, a.place) != nil
		}
	}
	return false
}

func marking(text []byte, marked bool) []byte {
	if marked {
		return append(bytes.Clone(byteOrderMark), text...)
	}
	return text
}

// errChanged means that the agent has written its file meanwhile.
var errChanged = errors.New("it has changed since; run the command again")

// Apply changes the file. When the agent has written it since it was read, it changes what is there
// now, provided that the change is the one that was shown. It returns the path of a copy of the old
// file, "" when there was none.
//
// Agents do not lock their files in a way that others can take part in: what an agent writes between
// the last reading and the renaming is lost.
func (p *Plan) Apply() (backup string, err error) {
	is, err := ReadFile(p.Path)
	if err != nil {
		return "", err
	}
	if is.There != p.was.There || is.Target != p.was.Target || !bytes.Equal(is.Content, p.was.Content) {
		now, err := p.change(p.Path, is)
		if err != nil || !reflect.DeepEqual(now.changes, p.Changes) || now.removes != p.Removes {
			return "", fmt.Errorf("%s: %w", p.Path, errChanged)
		}
		p.was, p.outcome = is, now
	}
	if len(p.Changes) == 0 {
		return "", nil
	}
	if is.There {
		if is.Mode&0o200 == 0 {
			return "", fmt.Errorf("%s is read-only; make it writable, or enter mcp-editord by hand", is.Target)
		}
		if is.foreign {
			return "", fmt.Errorf("%s belongs to another user; run the command as that user", is.Target)
		}
		if backup, err = p.backups.Keep(p.agent.Name, p.Path, is.Content); err != nil {
			return "", err
		}
	} else if err := os.MkdirAll(filepath.Dir(is.Target), 0o700); err != nil {
		return "", fmt.Errorf("making the folder of the configuration: %w", err)
	}
	if p.Removes {
		err = os.Remove(is.Target)
	} else {
		err = atomicfile.WriteMode(is.Target, p.outcome.content, is.Mode)
	}
	if err != nil {
		return "", fmt.Errorf("writing the configuration: %w", err)
	}
	return backup, nil
}
