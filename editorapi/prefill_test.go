package editorapi

import (
	"encoding/json"
	"runtime"
	"testing"

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
		property property
		where    *Context
		want     string // "" for no proposal
	}{
		{"path", property{name: "path", types: text}, where, `"/w/sub dir/a.go"`},
		{"file path in two spellings", property{name: "file_path", types: text}, where, `"/w/sub dir/a.go"`},
		{"and in a third", property{name: "filePath", types: text}, where, `"/w/sub dir/a.go"`},
		{"path without a type", property{name: "filename"}, where, `"/w/sub dir/a.go"`},
		{"path that wants a URI", property{name: "file", types: text, format: "uri"}, where, `"file:///w/sub%20dir/a.go"`},
		{"path that is a list", property{name: "path", types: []string{"array"}}, where, ""},
		{"paths", property{name: "paths", types: []string{"array"}}, where, ""},
		{"path of something that is not a file", property{name: "path", types: text}, &Context{TextDocument: &TextDocument{URI: "untitled:x"}}, ""},
		{"uri", property{name: "uri", types: text}, where, `"file:///w/sub%20dir/a.go"`},
		{"uri of anything", property{name: "uri", types: text}, &Context{TextDocument: &TextDocument{URI: "untitled:x"}}, `"untitled:x"`},
		{"url is something else", property{name: "url", types: text}, where, ""},
		{"directory", property{name: "cwd", types: text}, where, `"/w/sub dir"`},
		{"text", property{name: "text", types: text}, where, `"some \"text\""`},
		{"query", property{name: "query", types: text}, where, `"some \"text\""`},
		{"text without a selection", property{name: "text", types: text}, &Context{}, ""},
		{"text with an empty selection", property{name: "text", types: text}, &Context{SelectedText: &nothing}, ""},
		{"line", property{name: "line", types: []string{"integer"}}, where, `5`},
		{"line that is a number", property{name: "line_number", types: []string{"number"}}, where, `5`},
		{"line that may be null", property{name: "line", types: []string{"null", "integer"}}, where, `5`},
		{"line as a string", property{name: "startLine", types: text}, where, `"5"`},
		{"line that is a boolean", property{name: "line", types: []string{"boolean"}}, where, ""},
		{"line without a type", property{name: "line"}, where, ""},
		{"line without a range", property{name: "line", types: []string{"integer"}}, &Context{}, ""},
		{"language", property{name: "languageId", types: text}, where, `"go"`},
		{"language out of a list", property{name: "language", types: text, enum: []byte(`["c","go"]`)}, where, `"go"`},
		{"language that the list lacks", property{name: "language", types: text, enum: []byte(`["c"]`)}, where, ""},
		{"any other name", property{name: "command", types: text}, where, ""},
		{"no context", property{name: "path", types: text}, nil, ""},
		{"empty context", property{name: "path", types: text}, &Context{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := test.property.propose(test.where)
			if ok != (test.want != "") || string(got) != test.want {
				t.Errorf("proposed %s (%v), want %s", got, ok, test.want)
			}
		})
	}
}

func TestConvert(t *testing.T) {
	for _, test := range []struct {
		name  string
		types []string
		text  string
		want  string // "" when it cannot be
	}{
		{"no type", nil, "5", `"5"`},
		{"string", []string{"string"}, "5", `"5"`},
		{"string comes first", []string{"integer", "string"}, "5", `"5"`},
		{"integer", []string{"integer"}, " 5 ", `5`},
		{"integer over 2^53", []string{"integer"}, "9007199254740993", `9007199254740993`},
		{"integer from a fraction", []string{"integer"}, "5.5", ""},
		{"number", []string{"number"}, "5.5", `5.5`},
		{"number from an integer", []string{"number"}, "5", `5`},
		{"number that is not JSON", []string{"number"}, "0x10", ""},
		{"not a number", []string{"number"}, "NaN", ""},
		{"boolean", []string{"boolean"}, "false", `false`},
		{"boolean from a word", []string{"boolean"}, "yes", ""},
		{"array", []string{"array"}, `["a"]`, `["a"]`},
		{"array from a text", []string{"array"}, "a", ""},
		{"object", []string{"object"}, `{"a":1}`, `{"a":1}`},
		{"empty text for an integer", []string{"integer"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := property{types: test.types}.convert(test.text)
			if ok != (test.want != "") || string(got) != test.want {
				t.Errorf("got %s (%v), want %s", got, ok, test.want)
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
	b.catalogs = []ServerCatalog{{
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
