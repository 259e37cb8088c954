package editorapi

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/toolschema"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

func TestPropose(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	selected, nothing := "some \"text\"", ""
	where := &Context{
		TextDocument: &TextDocument{URI: "file:///w/sub%20dir/a.go"},
		Range:        &Range{Start: Position{Line: 4}, End: Position{Line: 9}},
		SelectedText: &selected,
		LanguageID:   "go",
	}
	text := []string{"string"}
	for _, test := range []struct {
		name     string
		property toolschema.Property
		where    *Context
		want     string // "" for no proposal
	}{
		{"path", toolschema.Property{Name: "path", Types: text}, where, `"/w/sub dir/a.go"`},
		{"file path in two spellings", toolschema.Property{Name: "file_path", Types: text}, where, `"/w/sub dir/a.go"`},
		{"and in a third", toolschema.Property{Name: "filePath", Types: text}, where, `"/w/sub dir/a.go"`},
		{"path without a type", toolschema.Property{Name: "filename"}, where, `"/w/sub dir/a.go"`},
		{"path that wants a URI", toolschema.Property{Name: "file", Types: text, Format: "uri"}, where, `"file:///w/sub%20dir/a.go"`},
		{"path that is a list", toolschema.Property{Name: "path", Types: []string{"array"}}, where, ""},
		{"paths", toolschema.Property{Name: "paths", Types: []string{"array"}}, where, ""},
		{"path of something that is not a file", toolschema.Property{Name: "path", Types: text}, &Context{TextDocument: &TextDocument{URI: "untitled:x"}}, ""},
		{"uri", toolschema.Property{Name: "uri", Types: text}, where, `"file:///w/sub%20dir/a.go"`},
		{"uri of anything", toolschema.Property{Name: "uri", Types: text}, &Context{TextDocument: &TextDocument{URI: "untitled:x"}}, `"untitled:x"`},
		{"url is something else", toolschema.Property{Name: "url", Types: text}, where, ""},
		{"directory", toolschema.Property{Name: "cwd", Types: text}, where, `"/w/sub dir"`},
		{"text", toolschema.Property{Name: "text", Types: text}, where, `"some \"text\""`},
		{"query", toolschema.Property{Name: "query", Types: text}, where, `"some \"text\""`},
		{"text without a selection", toolschema.Property{Name: "text", Types: text}, &Context{}, ""},
		{"text with an empty selection", toolschema.Property{Name: "text", Types: text}, &Context{SelectedText: &nothing}, ""},
		{"line", toolschema.Property{Name: "line", Types: []string{"integer"}}, where, `5`},
		{"line that is a number", toolschema.Property{Name: "line_number", Types: []string{"number"}}, where, `5`},
		{"line that may be null", toolschema.Property{Name: "line", Types: []string{"null", "integer"}}, where, `5`},
		{"line as a string", toolschema.Property{Name: "startLine", Types: text}, where, `"5"`},
		{"line that is a boolean", toolschema.Property{Name: "line", Types: []string{"boolean"}}, where, ""},
		{"line without a type", toolschema.Property{Name: "line"}, where, ""},
		{"line without a range", toolschema.Property{Name: "line", Types: []string{"integer"}}, &Context{}, ""},
		{"language", toolschema.Property{Name: "languageId", Types: text}, where, `"go"`},
		{"language out of a list", toolschema.Property{Name: "language", Types: text, Enum: []byte(`["c","go"]`)}, where, `"go"`},
		{"language that the list lacks", toolschema.Property{Name: "language", Types: text, Enum: []byte(`["c"]`)}, where, ""},
		{"any other name", toolschema.Property{Name: "command", Types: text}, where, ""},
		{"no context", toolschema.Property{Name: "path", Types: text}, nil, ""},
		{"empty context", toolschema.Property{Name: "path", Types: text}, &Context{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := propose(test.property, test.where)
			if ok != (test.want != "") || string(got) != test.want {
				t.Errorf("proposed %s (%v), want %s", got, ok, test.want)
			}
		})
	}
}

func TestPrefill(t *testing.T) {
	const tool = `{"name":"t","inputSchema":{"properties":{
		"root":{"type":"string"},"depth":{"anyOf":[{"type":["integer","null"]},{"const":1}]},"path":{"type":"string"},
		"text":{"type":"string"},"other":{"type":"string"},"line":{"type":"integer"}},"required":["path","text","other","unsaid","root"]}}`
	b := newFakeBackend()
	b.bound = map[string]string{"root": "/w", "depth": "3", "path": "/bound"}
	b.catalogs = []listing{{
		Server: Server{Name: "s", State: "ready"}, Tools: raw(tool),
		Prompts: raw(`{"name":"p","arguments":[{"name":"language","required":true},{"name":"line"},{"name":"tone","required":true}]}`),
	}}
	e := open(t, b, fakeeditor.Options{})
	const context = `{"textDocument":{"uri":"file:///w/a.go"},"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"languageId":"go"}`
	for _, test := range []struct{ name, params, want string }{
		{"tool", `{"command":"mcp.tool.s.t","context":` + context + `}`, `{"arguments":{"root":"/w","depth":3,"path":"/bound","line":2},"missing":["text","other","unsaid"]}`},
		{"tool without context", `{"command":"mcp.tool.s.t"}`, `{"arguments":{"root":"/w","depth":3,"path":"/bound"},"missing":["text","other","unsaid"]}`},
		{"prompt", `{"command":"mcp.prompt.s.p","context":` + context + `}`, `{"arguments":{"language":"go","line":"2"},"missing":["tone"]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, err := e.Request("editord/prefill", json.RawMessage(test.params))
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(result, []byte(test.want)) {
				t.Errorf("got  %s\nwant %s", result, test.want)
			}
		})
	}
}
