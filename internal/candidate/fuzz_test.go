package candidate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-editord/mcp-editord/config"
)

// Whatever is pasted, what comes of it is a definition, which mcp.json has or refuses with a reason, or an error.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"agents", "lines"} {
		archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".in") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse([]string{text}, Options{})
		if err == nil && len(p.Servers) == 0 && p.Registry == "" {
			t.Errorf("%q is nothing, and no error", text)
		}
		for _, s := range p.Servers {
			text, err := json.Marshal(map[string]any{"servers": map[string]any{s.Name: s.Definition}})
			file := config.ParseFile(text, config.Source{URI: "file:///mcp.json", Trusted: true})
			if err != nil || len(file.Servers)+len(file.Problems) == 0 {
				t.Errorf("%q becomes %s, %v", text, s.Definition, err)
			}
		}
	})
}
