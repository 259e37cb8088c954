package candidate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// entry is what programs say of a server.
type entry struct {
	definition
	Command    []string          `json:"command"`
	Enabled    string            `json:"enabled"`
	Disabled   string            `json:"disabled"`
	EnvKeys    []string          `json:"env_keys"`             // goose, which keeps their values in the keyring
	EnvHeaders map[string]string `json:"env_http_headers"`     // Codex
	Bearer     string            `json:"bearer_token_env_var"` // Codex
	Rest       map[string]any    `json:",embed"`
}

// spellings have what some programs call a member, and its usual name.
var spellings = [][2]string{
	{"cmd", "command"}, {"transport", "type"}, {"serverUrl", "url"}, {"httpUrl", "url"}, {"uri", "url"},
	{"environment", "env"}, {"envs", "env"}, {"http_headers", "headers"},
}

// loose takes numbers and booleans for texts.
var loose = json.WithUnmarshalers(json.UnmarshalFunc(func(b []byte, text *string) error {
	unquoted, err := jsontext.AppendUnquote(nil, b)
	if err != nil { // it is no string
		unquoted = bytes.TrimPrefix(b, []byte("null"))
	}
	*text = string(unquoted)
	if err != nil && (b[0] == '{' || b[0] == '[') || strings.ContainsRune(*text, 0) {
		return errors.New("not a text")
	}
	return nil
}))

var kinds = pattern(`^(stdio|local|sse|http|remote|streamable[-_]?[hH]ttp|)$`)

// FromEntry returns what an entry of another program's configuration defines, whatever its dialect. The inputs are
// those that it may use. Approvals never come along.
func FromEntry(name string, members map[string]any, inputs []Input) (Server, error) {
	members = maps.Clone(members)
	for _, s := range spellings {
		if value := members[s[0]]; value != nil && members[s[1]] == nil {
			members[s[1]] = value
			delete(members, s[0])
		}
	}
	maps.DeleteFunc(members, func(key string, value any) bool { // what says nothing about how the server runs
		return value == nil || key == "name" || key == "description"
	})
	if command, ok := members["command"].(string); ok {
		members["command"] = []string{command}
	}
	e := entry{definition: newDraft("").definition, Rest: map[string]any{}}
	raw, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(raw, &e, loose)
	}
	if err != nil || !kinds().MatchString(e.Type) {
		return Server{}, fmt.Errorf("server %q has a type or a value that is not understood", name)
	}
	for header, variable := range e.EnvHeaders {
		e.Headers[header] = "${" + variable + "}"
	}
	if e.Bearer != "" {
		e.Headers["Authorization"] = "Bearer ${" + e.Bearer + "}"
	}

	idle, remote := []string{"url", "headers"}, e.URL != "" && e.Type != "stdio" && e.Type != "local"
	if remote {
		idle = []string{"command", "args", "env", "env_keys", "cwd"}
	}
	for _, key := range idle {
		if members[key] != nil {
			e.Rest[key] = true
		}
	}
	if e.Type != "sse" {
		e.Type = ""
	}
	if len(e.Command) > 0 {
		e.definition.Command, e.Args = e.Command[0], append(e.Command[1:], e.Args...)
	}
	if e.Disabled == "true" || e.Enabled == "false" {
		e.definition.Enabled = new(bool)
	}

	d := newDraft(cmp.Or(name, e.name()))
	d.adopt(e.definition, inputs)
	d.take(e.definition, d.convert)
	for _, variable := range e.EnvKeys {
		d.Env[variable] = d.input(variable, Input{Password: true}, "")
	}
	if remote {
		d.Command, d.Args, d.Env, d.Cwd = "", nil, nil, ""
	} else {
		d.URL, d.Headers, d.Type = "", nil, ""
	}
	if len(e.Rest) > 0 {
		left := strings.Join(slices.Sorted(maps.Keys(e.Rest)), ", ")
		d.note("Not carried over: %s.", safetext.Line(left, 300))
	}
	return d.finish()
}

// take takes a definition over, with inputs in the place of secrets. convert is for the variables in its texts.
func (d *draft) take(from definition, convert func(string) string) {
	each := func(texts map[string]string) map[string]string {
		concealed := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			concealed[name] = d.conceal(name, convert(texts[name]))
		}
		return concealed
	}
	d.Env = each(from.Env) // first: the others may use it
	d.Headers = each(from.Headers)
	for _, arg := range from.Args {
		d.Args = append(d.Args, convert(arg))
	}
	d.concealArgs(d.Args)
	d.Command = d.conceal("", convert(from.Command))
	d.Cwd, d.URL = d.conceal("", convert(from.Cwd)), d.conceal("", convert(from.URL))
	d.Type, d.Enabled = from.Type, from.Enabled
}

var foreign = pattern(`\$\{(?:env:)?([A-Za-z_]\w*)(:-[^{}]*)?\}|\{env:(\w+)\}|\B\$([A-Z_][A-Z0-9_]*)`)

// convert returns a text with the variables of mcp.json in the place of those of other programs. What the entry itself
// gives a value is no variable of the environment.
func (d *draft) convert(text string) string {
	return foreign().ReplaceAllStringFunc(text, func(found string) string {
		m := foreign().FindStringSubmatch(found)
		name := cmp.Or(m[1], m[3], m[4])
		if known().MatchString(name) {
			return found
		}
		if m[2] != "" {
			d.note("%s has a default, which cannot be kept; set the variable.", safetext.Line(name, 60))
		}
		return cmp.Or(d.Env[name], "${env:"+name+"}")
	})
}
