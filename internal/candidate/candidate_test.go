package candidate

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/internal/registry"
)

var update = flag.Bool("update", false, "write the goldens anew")

func TestAgents(t *testing.T) {
	golden(t, "agents", func(t *testing.T, in string) any { return parsed(t, []string{in}, Options{}) })
}

func TestLines(t *testing.T) {
	golden(t, "lines", func(t *testing.T, in string) any {
		words := strings.Split(strings.TrimSuffix(in, "\n"), "\n")
		if strings.Contains(in, "\\\n") {
			words = []string{in}
		}
		return parsed(t, words, Options{})
	})
}

func TestServerJSON(t *testing.T) {
	golden(t, "serverjson", func(t *testing.T, in string) any {
		var s registry.Server
		if err := json.Unmarshal([]byte(in), &s); err != nil {
			t.Fatal(err)
		}
		ways, byHand, err := FromServerJSON(s, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range ways {
			accepted(t, way)
			hidden(t, way)
		}
		return map[string]any{"ways": ways, "byHand": byHand}
	})
}

// golden compares what each NAME.in of an archive becomes with NAME.out.
func golden(t *testing.T, name string, become func(*testing.T, string) any) {
	path := filepath.Join("testdata", name+".txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	files := archive.Files
	archive.Files = nil
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name, ".in")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			e := json.NewEncoder(&out)
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			if err := e.Encode(become(t, string(f.Data))); err != nil {
				t.Fatal(err)
			}
			archive.Files = append(archive.Files, f, txtar.File{Name: name + ".out", Data: out.Bytes()})
			if got := out.String(); !*update && got != want[name+".out"] {
				t.Errorf("got\n%s\nwant\n%s", got, want[name+".out"])
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func parsed(t *testing.T, words []string, o Options) Parsed {
	t.Helper()
	p, err := Parse(words, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Servers {
		accepted(t, s)
		hidden(t, s)
	}
	return p
}

// accepted fails when mcp.json would not have a server.
func accepted(t *testing.T, s Server) {
	t.Helper()
	inputs := []map[string]any{}
	for _, in := range s.Inputs {
		input := map[string]any{"id": in.ID, "description": in.Description, "password": in.Password}
		if in.Options != nil {
			input["type"], input["options"] = "pickString", in.Options
		}
		inputs = append(inputs, input)
	}
	text, err := json.Marshal(map[string]any{"servers": map[string]any{s.Name: s.Definition}, "inputs": inputs})
	if err != nil {
		t.Fatal(err)
	}
	file := config.ParseFile(text, config.Source{URI: "file:///mcp.json", Trusted: true})
	if len(file.Problems) > 0 || len(file.Servers) != 1 {
		t.Errorf("mcp.json does not have %s: %v", text, file.Problems)
	}
}

// hidden fails when a secret stands in a definition or a note.
func hidden(t *testing.T, s Server) {
	t.Helper()
	for id, value := range s.Secrets {
		if strings.Contains(strings.Join(s.Notes, " "), value) || len(value) > 3 && bytes.Contains(s.Definition, []byte(value)) {
			t.Errorf("the value of %s stands in %s", id, s.Definition)
		}
	}
}
