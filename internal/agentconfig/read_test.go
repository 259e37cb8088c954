package agentconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// atHome makes a home directory of the test, with all places in it.
func atHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("APPDATA", filepath.Join(home, "AppData"))
	const places = "XDG_CONFIG_HOME CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME"
	for _, name := range strings.Fields(places) {
		t.Setenv(name, "")
	}
	return home
}

// put writes a file, with the folders that it is in.
func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// shownServers has a line for each server and input.
func shownServers(found Servers) string {
	var b strings.Builder
	for _, name := range found.Names {
		entry, _ := json.Marshal(found.Entries[name])
		fmt.Fprintf(&b, "  %s %s\n", name, entry)
	}
	for _, input := range found.Inputs {
		entry, _ := json.Marshal(input)
		fmt.Fprintf(&b, "  input %s\n", entry)
	}
	return b.String()
}

// Each archive has the files of a program, as the documentation in its first line has them, at places as [Place] takes
// them, and the servers that are found when they are the only ones. Every program has one.
func TestRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the places of some programs are others on Windows")
	}
	atHome(t)
	for _, s := range Sources("") {
		if _, err := os.Stat(filepath.Join("testdata", "read", s.Program+".txtar")); err != nil {
			t.Errorf("there is no example of %s: %v", s.Title, err)
		}
		if s.Folder != "" || slices.Contains(s.place, "") {
			t.Errorf("%s has servers for no folder", s.Title)
		}
	}
	archives, _ := filepath.Glob("testdata/read/*.txtar")
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			atHome(t)
			archive, err := txtar.ParseFile(path)
			if err != nil || !strings.HasPrefix(string(archive.Comment), "https://") {
				t.Fatalf("it names no documentation: %v", err)
			}
			places, want := map[string]string{}, ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				at, err := Place(f.Name)
				if err != nil {
					t.Fatal(err)
				}
				put(t, at, f.Data)
				places[at] = f.Name
			}
			var got strings.Builder
			for _, s := range Sources("/work/app") {
				found, err := s.Read()
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&got, "%s %s", s.Program, places[s.Path])
				if s.Folder != "" {
					fmt.Fprintf(&got, " of %s", s.Folder)
				}
				got.WriteString("\n" + shownServers(found))
			}
			if got.String() != want {
				t.Errorf("it has\n%swant\n%s", &got, want)
			}
		})
	}
}

// What cannot be read says where, without what the file says; what is no server is for others to tell.
func TestReadHostile(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 250_000)
	for name, test := range map[string]struct{ ending, content, want, err string }{
		"nothing":                {".json", "", "", ""},
		"only comments":          {".yaml", "# mcpServers\n---\n", "", ""},
		"cut off":                {".json", "{\n  \"mcpServers\": {\"secret", "", "at line 2, column "},
		"deep":                   {".json", `{"mcpServers":` + deep, "", "brackets"},
		"deep in YAML":           {".yaml", "mcpServers: " + deep, "", "at line 1, column "},
		"deep in TOML":           {".toml", "a = " + deep, "", "at line 1, column "},
		"large":                  {".json", strings.Repeat(" ", 16<<20+1), "", "larger than 16 MiB"},
		"large in YAML":          {".yaml", "a: " + strings.Repeat("x", 1<<20), "", "at most 1 MiB"},
		"NUL":                    {".json", "{\n\x00}", "", "at line 2, column "},
		"NUL in YAML":            {".yaml", "a: b\nmcpServers: \x00", "", "at line 2, column 13"},
		"NUL in TOML":            {".toml", "a = 1\n\x00", "", "at line 2, column "},
		"an anchor":              {".yaml", "a: &secret b\n", "", "at line 1, column 4"},
		"a key twice":            {".yaml", "secret: 1\nsecret: 2\n", "", "at line 2, column 1"},
		"two documents":          {".yaml", "a: 1\n---\nb: secret\n", "", "not one YAML object"},
		"a list for all":         {".json", `["secret"]`, "", "not a JSON object"},
		"a list for all in YAML": {".yaml", "- secret\n", "", "not one YAML object"},
		"a text for servers":     {".json", `{"mcpServers": "secret"}`, "", "is not an object"},
		"a number for servers":   {".toml", "mcp_servers = 1\n", "", `"mcp_servers" is not an object`},
		"null for servers":       {".json", `{"mcpServers": null, "inputs": {"a": {}}}`, "", ""},
		"no objects": {
			".json", `{"mcpServers": {"a": 1, "c": null, "b": [], "d": {}}, "inputs": [1, {}]}`,
			"  a null\n  c null\n  b null\n  d {}\n  input {}\n", "",
		},
		"a list": {
			".yaml", "mcpServers: [1, {name: a}, {name: a, x: y}, {name: [b]}]\n",
			"   null\n  a {\"name\":\"a\"}\n", "",
		},
		"values of YAML": {
			".yaml", "mcpServers: {a: {b: 0x10, c: 1.50, d: ~, e: yes, f: true, g: \"1\"}}\n",
			`  a {"b":16,"c":1.5,"d":null,"e":"yes","f":true,"g":"1"}` + "\n", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shapes(test.ending)[0]
			if test.ending == ".json" {
				s.place = []string{"mcpServers"}
			}
			s.Path = filepath.Join(t.TempDir(), "a"+test.ending)
			put(t, s.Path, []byte(test.content))
			found, err := s.Read()
			if got := shownServers(found); got != test.want || (err == nil) != (test.err == "") {
				t.Errorf("it has\n%s, %v; want\n%s", got, err, test.want)
			}
			if err == nil {
				return
			}
			says := err.Error()
			if !strings.Contains(says, test.err) || !strings.Contains(says, s.Path) || strings.Contains(says, "secret") {
				t.Errorf("error %v, want %q, the path, and nothing that the file says", err, test.err)
			}
		})
	}
}

// A file that is not there is an error that callers know; a link to nowhere is not the same.
func TestReadNoFile(t *testing.T) {
	t.Parallel()
	s := shapes(".json")[0]
	s.Path = filepath.Join(t.TempDir(), "mcp.json")
	if _, err := s.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: error %v", err)
	}
	if err := os.Symlink(s.Path+"c", s.Path); err != nil {
		t.Skip(err) // Windows without the privilege
	}
	if _, err := s.Read(); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("a link to nowhere: error %v", err)
	}
}

// A folder with very many files does not make very many sources.
func TestSourcesAreBounded(t *testing.T) {
	folder, before := filepath.Join(atHome(t), ".continue", "mcpServers"), len(Sources(""))
	for i := range maxFiles + 1 {
		put(t, filepath.Join(folder, fmt.Sprintf("%d.json", i)), nil)
	}
	if more := len(Sources("")) - before; more != maxFiles {
		t.Errorf("there are %d sources more, want %d", more, maxFiles)
	}
}

// A file that somebody names is read as that of a known program, or by its ending and what is in it.
func TestSourceAt(t *testing.T) {
	home := atHome(t)
	known := filepath.Join(home, ".cursor", "mcp.json")
	for _, test := range []struct{ path, content, program, names string }{
		{known, `{"mcpServers": {"a": {}}}`, "cursor", "a"},
		{"a.json", `{"mcpServers": {"a": {}}}`, "", "a"},
		{"a.JSONC", `{"servers": {"a": {}}, "mcpServers": {"b": {}}, /* */ }`, "vscode", "a"},
		{"a", `{"mcp": {"servers": {"a": {"command": "a"}}}}`, "vscode", "a"},
		{"a.json", `{"mcp": {"servers": {"a": {"type": "local"}}}}`, "opencode", "a"},
		{"a.json", `{"mcp": {"a": {"type": "remote"}}}`, "opencode", "a"},
		{"a.json", `{"context_servers": {"b": {}, "a": {}}}`, "zed", "b a"},
		{"a.json", `{"amp.mcpServers": {"a": {}}}`, "amp", "a"},
		{"a.toml", "[mcp_servers.a]\ncommand = 'a'\n", "codex", "a"},
		{"a.yml", "mcpServers: [{name: b}, {name: a}]\n", "continue", "b a"},
		{"a.yaml", "extensions: {a: {type: sse}, b: {type: builtin}}\n", "goose", "a"},
		{"a.json", `{"mcpServers": {"x": {"command": "mcp-editord", "args": ["mcp"]}}, "a": {}}`, "none", ""},
		{"a.yaml", "extensions: {b: {type: builtin}}\n", "none", ""},
	} {
		path := test.path
		if path != known {
			path = filepath.Join(t.TempDir(), path)
		}
		put(t, path, []byte(test.content))
		program, names := "none", ""
		if s, ok := SourceAt(path); ok {
			found, err := s.Read()
			if err != nil {
				t.Error(err)
			}
			program, names = s.Program, strings.Join(found.Names, " ")
		}
		if program != test.program || names != test.names {
			t.Errorf("%s is of %q and has %q; want %q, %q", test.content, program, names, test.program, test.names)
		}
	}
	for _, path := range []string{filepath.Join(home, "none.json"), filepath.Dir(known)} { // no file, a folder
		if s, ok := SourceAt(path); !ok || s.Path != path {
			t.Errorf("%s is not a source that says why it cannot be read", path)
		}
	}
}

// Others has every server that is not ours, whatever its entry is.
func TestOthers(t *testing.T) {
	u := newUser(t, `{"mcpServers": {"b": {"command": "mcp-editord"}, "a": "x", "x": {"command": "mcp-editord", "args": ["mcp"]}}}`)
	plan, err := u.connect()
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Others(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the others are %q", got)
	}
}
