package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// An Edit changes the text of an mcp.json. What it is not about stays byte for byte. Where the text cannot be read,
// the error names line and column.
type Edit func(text []byte) ([]byte, error)

// SetServer defines a server, or gives it another definition: an object as a file has it. Of the inputs it adds
// those that the file does not have. spelling is where a file that has no servers gets them: "servers" or
// "mcpServers".
func SetServer(name string, definition json.RawMessage, inputs []Input, spelling string) Edit {
	return func(text []byte) ([]byte, error) {
		file, err := editfile.DecodeJSON(text)
		if err != nil {
			return nil, err
		}
		at := serversWith(file, name)
		for _, key := range []string{"mcpServers", "servers"} {
			if _, there := file[key].(map[string]any); there && at == "" {
				spelling = key
			}
		}
		if at == "" {
			at = spelling
		}
		text, err = editfile.SetJSON(text, LaidOut(definition), at, name)
		list, _ := file["inputs"].([]any)
		for _, in := range inputs {
			if err != nil {
				break
			}
			if !hasInput(list, in.ID) {
				text, err = editfile.AppendJSON(text, in.literal(), "inputs")
			}
		}
		return text, err
	}
}

// RemoveServer takes a server out. Its inputs stay: others may use them.
func RemoveServer(name string) Edit {
	return func(text []byte) ([]byte, error) {
		file, err := editfile.DecodeJSON(text)
		if err != nil {
			return nil, err
		}
		for at := serversWith(file, name); at != "" && err == nil; at = serversWith(file, name) {
			delete(file[at].(map[string]any), name)
			text, err = editfile.RemoveJSON(text, at, name)
		}
		return text, err
	}
}

// EnableServer says whether a server may run.
func EnableServer(name string, enabled bool) Edit {
	return func(text []byte) ([]byte, error) {
		file, err := editfile.DecodeJSON(text)
		if err != nil {
			return nil, err
		}
		at := serversWith(file, name)
		if at == "" {
			return nil, fmt.Errorf("it has no server %s", quote(name))
		}
		servers := file[at].(map[string]any)
		entry, ok := servers[name].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("server %s is not an object", quote(name))
		}
		if _, other := entry["disabled"]; other {
			if text, err = editfile.SetJSON(text, editfile.Literal(!enabled), at, name, "disabled"); err != nil {
				return nil, err
			}
		}
		if _, said := entry["enabled"]; said || entry["disabled"] == nil {
			return editfile.SetJSON(text, editfile.Literal(enabled), at, name, "enabled")
		}
		return text, nil
	}
}

// serversWith returns the key of a file under which a server counts, "" when it is not there.
func serversWith(file map[string]any, name string) string {
	for _, key := range []string{"servers", "mcpServers"} {
		if servers, ok := file[key].(map[string]any); ok && servers[name] != nil {
			return key
		}
	}
	return ""
}

func hasInput(list []any, id string) bool {
	for _, element := range list {
		if in, ok := element.(map[string]any); ok && in["id"] == id {
			return true
		}
	}
	return false
}

// literal writes an input as a file has it.
func (in Input) literal() string {
	kind := promptString
	if len(in.Options) > 0 {
		kind = pickString
	}
	text, _ := json.Marshal(InputFormat{
		ID: in.ID, Type: kind, Description: in.Description, Default: in.Default, Password: in.Password, Options: in.Options,
	}) // texts and bools
	return LaidOut(text)
}

// longList is how many bytes a list has in one line.
const longList = 80

// LaidOut writes JSON as people do: each member of an object in a line of its own, and a list in one line unless it is
// long.
func LaidOut(value json.RawMessage) string {
	var parts []string
	brackets := "{}"
	switch {
	case rawjson.IsObject(value):
		for name, member := range rawjson.Members(value) {
			parts = append(parts, editfile.Literal(name)+": "+LaidOut(member))
		}
	case len(value) > 0 && value[0] == '[':
		brackets = "[]"
		for element := range rawjson.Elements(value) {
			parts = append(parts, LaidOut(element))
		}
		if line := "[" + strings.Join(parts, ", ") + "]"; len(line) <= longList && !strings.Contains(line, "\n") {
			return line
		}
	default:
		return string(rawjson.OneLine(value))
	}
	if len(parts) == 0 {
		return brackets
	}
	inside := strings.ReplaceAll("\n"+strings.Join(parts, ",\n"), "\n", "\n  ")
	return brackets[:1] + inside + "\n" + brackets[1:]
}
