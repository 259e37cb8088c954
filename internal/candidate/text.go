package candidate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
	"github.com/mcp-editord/mcp-editord/internal/redact"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// fromText reads JSON in which servers are defined, or a part of such a text: READMEs show `"name": {…}`.
func fromText(text, name string) (parsed Parsed, err error) {
	if strings.HasPrefix(text, `"`) {
		text = "{" + text + "\n}"
	}
	var inputs []Input
	root, err := editfile.DecodeJSON([]byte(text))
	if err == nil {
		list, _ := json.Marshal(root["inputs"])
		err = json.Unmarshal(list, &inputs)
	}
	if err != nil {
		return Parsed{}, fmt.Errorf("the JSON cannot be read; is a part of it missing? %w", err)
	}
	delete(root, "inputs")
	delete(root, "$schema")
	entries, rest := entriesOf(root)
	switch {
	case len(entries) == 0 || len(entries) > maxListed:
		return Parsed{}, fmt.Errorf("the JSON must define 1 to %d servers, not %d", maxListed, len(entries))
	case len(entries) > 1 && name != "":
		return Parsed{}, errors.New("the JSON defines several servers with names of their own; leave out the name")
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		entry, ok := entries[key].(map[string]any)
		if !ok {
			return Parsed{}, fmt.Errorf(`%q is no server; it needs a command or a url`, key)
		}
		server, err := FromEntry(cmp.Or(name, key), entry, inputs)
		if err != nil {
			return Parsed{}, err
		}
		server.From = "JSON"
		parsed.Servers = append(parsed.Servers, server)
	}
	if len(rest) > 0 {
		left := safetext.Line(strings.Join(slices.Sorted(maps.Keys(rest)), ", "), 200)
		parsed.Servers[0].Notes = append(parsed.Servers[0].Notes, "Not read of the JSON: "+left+".")
	}
	return parsed, nil
}

// holders are the members in which programs have servers. Of two servers with one name, that of the last counts.
var holders = []string{
	"mcp.servers", "amp.mcpServers", "mcp_servers", "extensions", "context_servers", "mcp", "servers",
	"mcpServers",
}

// entriesOf finds the servers in what an agent has in its configuration, and returns what else is there.
func entriesOf(root map[string]any) (entries, rest map[string]any) {
	if isEntry(root) {
		name, _ := root["name"].(string)
		return map[string]any{name: root}, nil
	}
	entries, rest = map[string]any{}, maps.Clone(root)
	for _, key := range holders {
		if within, ok := root[key].(map[string]any); ok && !isEntry(within) {
			inner, more := entriesOf(within) // "mcp" may have "servers"
			delete(rest, key)
			maps.Copy(entries, inner)
			maps.Copy(rest, more)
		}
	}
	if len(entries) == 0 { // a bare map
		return rest, nil
	}
	return entries, rest
}

// isEntry reports whether an object defines a server.
func isEntry(o map[string]any) bool {
	for _, key := range []string{"command", "cmd", "url", "serverUrl", "httpUrl", "uri"} {
		switch o[key].(type) {
		case string, []any:
			return true
		}
	}
	return false
}

// adopt adds the inputs that a definition uses as its file defines them, or else as their ids say.
func (d *draft) adopt(from definition, inputs []Input) {
	for _, m := range variables().FindAllStringSubmatch(editfile.Literal(from), -1) {
		id, ok := strings.CutPrefix(m[1], "input:")
		if !ok || id == "" || d.has(id) {
			continue
		}
		in, secret := Input{ID: id, Description: id, Password: redact.SecretName(id)}, ""
		if at := slices.IndexFunc(inputs, func(in Input) bool { return in.ID == id }); at >= 0 {
			in = inputs[at]
		}
		if in.Password {
			secret, in.Default = in.Default, ""
		}
		d.input(id, in, secret)
	}
}
