package agentconfig

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// Source is a file of a program, or a part of one, that may have servers. It is only read.
type Source struct {
	Program string // what people type; "" for a file that does not tell whose it is
	Title   string // what the program calls itself
	Path    string
	Folder  string // the workspace folder whose servers these are; "" for those of the user

	format reader
	place  []string // the members that lead to the servers, from the root
}

// Servers are those in a [Source], without what starts mcp-editord.
type Servers struct {
	Names   []string                  // in the order of the file; of TOML, sorted
	Entries map[string]map[string]any // as the program has them; nil for an entry that is no object
	Inputs  []map[string]any          // what VS Code asks for
}

// serverTypes has the types of servers, for programs that have other entries beside them.
var serverTypes = map[string][]string{
	"goose":    {"stdio", "sse", "streamable_http"},
	"opencode": {"local", "remote"},
}

// Read reads the servers. For a file that is not there, the error is an [fs.ErrNotExist].
func (s Source) Read() (Servers, error) {
	f, err := editfile.ReadFile(s.Path)
	if err != nil {
		return Servers{}, err
	}
	if !f.Exists() {
		return Servers{}, fmt.Errorf("reading %s: %w", s.Path, fs.ErrNotExist)
	}
	config, err := s.format.standard(f.Content)
	if err != nil {
		return Servers{}, fmt.Errorf("reading %s: %w", s.Path, err)
	}
	last := len(s.place) - 1
	around := rawjson.Path(config, s.place[:last]...)
	at := rawjson.Get(around, s.place[last])
	if !rawjson.IsAbsent(at) && !rawjson.IsObject(at) && at[0] != '[' {
		return Servers{}, fmt.Errorf("reading %s: %q is not an object", s.Path, s.place[last])
	}
	found := Servers{Entries: map[string]map[string]any{}}
	for name, entry := range rawjson.Members(at) {
		found.add(s, name, entry)
	}
	for entry := range rawjson.Elements(at) { // Continue
		found.add(s, cmp.Or(rawjson.String(entry, "name"), rawjson.String(entry, "uses")), entry)
	}
	for input := range rawjson.Elements(rawjson.Get(around, "inputs")) {
		if input := object(input); input != nil {
			found.Inputs = append(found.Inputs, input)
		}
	}
	return found, nil
}

// add adds an entry of a source if it is a server and not ours. The first one of a name counts.
func (all *Servers) add(s Source, name string, raw []byte) {
	entry := object(raw)
	kind, _ := entry["type"].(string)
	types := serverTypes[s.Program]
	_, twice := all.Entries[name]
	if !twice && !ours(entry) && (types == nil || slices.Contains(types, kind)) {
		all.Names, all.Entries[name] = append(all.Names, name), entry
	}
}

// object returns a JSON object; nil for any other value.
func object(raw []byte) (members map[string]any) {
	_ = json.Unmarshal(raw, &members) // it is valid
	return members
}

// SourceAt returns the source at a path that somebody names: that of a known program, else one by the ending of the name
// and by what is in the file. It is not ok when no servers are. For a file that cannot be read, [Source.Read] says why.
func SourceAt(path string) (_ Source, ok bool) {
	absolute, _ := filepath.Abs(path)
	known := slices.DeleteFunc(Sources(""), func(s Source) bool { return s.Path != absolute })
	for _, s := range append(known, shapes(strings.ToLower(filepath.Ext(path)))...) {
		s.Path = path
		if found, err := s.Read(); err != nil || len(found.Names) > 0 {
			return s, true
		}
	}
	return Source{}, false
}

// shapes returns sources without a path, for how files with an ending may have servers. What only one program writes
// tells whose the file is.
func shapes(ending string) []Source {
	switch ending {
	case ".toml":
		return []Source{{Program: "codex", Title: "Codex", format: tomlFormat{}, place: []string{"mcp_servers"}}}
	case ".yaml", ".yml":
		return []Source{
			{Program: "continue", Title: "Continue", format: yamlFormat{}, place: []string{"mcpServers"}},
			{Program: "goose", Title: "goose", format: yamlFormat{}, place: []string{"extensions"}},
		}
	}
	return []Source{
		{Program: "vscode", Title: "VS Code", format: jsonFormat{}, place: []string{"servers"}},
		{format: jsonFormat{}, place: []string{"mcpServers"}},
		{Program: "opencode", Title: "opencode", format: jsonFormat{}, place: []string{"mcp", "servers"}},
		{Program: "vscode", Title: "VS Code", format: jsonFormat{}, place: []string{"mcp", "servers"}},
		{Program: "opencode", Title: "opencode", format: jsonFormat{}, place: []string{"mcp"}},
		{Program: "zed", Title: "Zed", format: jsonFormat{}, place: []string{"context_servers"}},
		{Program: "amp", Title: "Amp", format: jsonFormat{}, place: []string{"amp.mcpServers"}},
	}
}
