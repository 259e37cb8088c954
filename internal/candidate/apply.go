package candidate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-editord/mcp-editord/internal/redact"
)

// Apply adds the environment and the headers of options to a server. What it had of the same names goes.
func Apply(s Server, o Options) (Server, error) {
	d := newDraft(s.Name)
	maps.Copy(d.Secrets, s.Secrets)
	s.Inputs, s.Notes, s.Secrets = slices.Clone(s.Inputs), slices.Clone(s.Notes), d.Secrets
	d.Server = s
	if err := json.Unmarshal(s.Definition, &d.definition); err != nil {
		return Server{}, fmt.Errorf("reading the definition of %q: %w", s.Name, err)
	}
	if len(o.Env) > 0 && d.Command == "" || len(o.Headers) > 0 && d.URL == "" {
		return Server{}, errors.New("--env is for a server that is a program, --header for one with a URL")
	}
	d.set(d.Env, o.Env, "=")
	d.set(d.Headers, o.Headers, ":")
	if container().MatchString(d.Command) && len(d.Args) > 0 && d.Args[0] == "run" {
		for _, given := range o.Env { // the container gets only what is named
			if name, _, _ := strings.Cut(given, "="); !slices.Contains(d.Args, name) {
				d.Args = slices.Insert(d.Args, 1, "-e", name)
			}
		}
	}
	return d.finish()
}

// set sets values by their names in texts, and asks for those that are not given.
func (d *draft) set(texts map[string]string, given []string, separator string) {
	for _, text := range given {
		name, _, _ := strings.Cut(text, separator)
		if !httpguts.ValidHeaderFieldName(name) { // not shown: it may be a secret in the wrong place
			d.err = errors.New("there is what is not a name; write --env NAME=VALUE or --header 'NAME: VALUE'")
		}
		maps.DeleteFunc(texts, func(old, _ string) bool {
			return old == name || separator == ":" && strings.EqualFold(old, name)
		})
	}
	d.write() // so that ids are free
	for _, text := range given {
		name, value, ok := strings.Cut(text, separator)
		switch {
		case !ok:
			texts[name] = d.input(name, Input{Password: redact.SecretName(name)}, "")
		case separator == ":":
			texts[name] = d.conceal(name, strings.TrimSpace(value))
		default:
			texts[name] = d.conceal(name, value)
		}
	}
}

// Apart gives inputs of a server other ids where one is taken.
func Apart(s Server, taken []string) Server {
	ids := slices.Clone(taken)
	for _, in := range s.Inputs {
		ids = append(ids, in.ID)
	}
	s.Inputs, s.Secrets = slices.Clone(s.Inputs), maps.Clone(s.Secrets)
	for i, in := range s.Inputs {
		id := in.ID
		for slices.Contains(taken, in.ID) && slices.Contains(ids, id) {
			id = idOf(s.Name) + "-" + id
		}
		if id == in.ID {
			continue
		}
		ids, s.Inputs[i].ID = append(ids, id), id
		s.Definition = bytes.ReplaceAll(s.Definition, []byte("${input:"+in.ID+"}"), []byte("${input:"+id+"}"))
		if value, ok := s.Secrets[in.ID]; ok {
			delete(s.Secrets, in.ID)
			s.Secrets[id] = value
		}
	}
	return s
}
