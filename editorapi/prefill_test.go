package editorapi

import (
	"encoding/json"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

func TestPropose(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	where := &Context{
		TextDocument: &TextDocument{URI: "file:///w/sub%20dir/a.go"},
		Range:        &Range{Start: Position{Line: 4}, End: Position{Line: 9}},
		LanguageID:   "go",
	}
	text, array := []string{"string"}, []string{"array"}
	for _, test := range []struct {
		name     string
		property toolschema.Property
		where    *Context
		want     string // "" for no proposal
	}{
		{"path without a type", toolschema.Property{Name: "filename"}, where, `"/w/sub dir/a.go"`},
		{"path that wants a URI", toolschema.Property{Name: "file", Types: text, Format: "uri"}, where, `"file:///w/sub%20dir/a.go"`},
		{"path that is a list", toolschema.Property{Name: "path", Types: []string{"array"}}, where, ""},
		{"path of something that is not a file", toolschema.Property{Name: "path", Types: text}, &Context{TextDocument: &TextDocument{URI: "untitled:x"}}, ""},
		{"uri", toolschema.Property{Name: "uri", Types: text}, where, `"file:///w/sub%20dir/a.go"`},
		{"uri of anything", toolschema.Property{Name: "uri", Types: text}, &Context{TextDocument: &TextDocument{URI: "untitled:x"}}, `"untitled:x"`},
		{"url is something else", toolschema.Property{Name: "url", Types: text}, where, ""},
		{"directory", toolschema.Property{Name: "cwd", Types: text}, where, `"/w/sub dir"`},
		{"line", toolschema.Property{Name: "line", Types: []string{"integer"}}, where, `5`},
		{"line that may be null", toolschema.Property{Name: "line", Types: []string{"null", "integer"}}, where, `5`},
		{"line as a string", toolschema.Property{Name: "startLine", Types: text}, where, `"5"`},
		{"line without a type", toolschema.Property{Name: "line"}, where, ""},
		{"line without a range", toolschema.Property{Name: "line", Types: []string{"integer"}}, &Context{}, ""},
		{"language", toolschema.Property{Name: "languageId", Types: text}, where, `"go"`},
		{"language out of a list", toolschema.Property{Name: "language", Types: text, Enum: []byte(`["c","go"]`)}, where, `"go"`},
		{"end of the line", toolschema.Property{Name: "end_line", Types: []string{"integer"}}, where, `9`},
		{"end within a line", toolschema.Property{Name: "endLine", Types: []string{"integer"}}, &Context{Range: &Range{End: Position{Line: 9, Character: 1}}}, `10`},
		{"end of an empty selection", toolschema.Property{Name: "endLine", Types: []string{"integer"}}, &Context{Range: &Range{Start: Position{Line: 4}, End: Position{Line: 4}}}, `5`},
		{"paths of anything", toolschema.Property{Name: "files", Types: array}, where, `["/w/sub dir/a.go"]`},
		{"paths or one path", toolschema.Property{Name: "paths", Types: []string{"string", "array"}}, where, `["/w/sub dir/a.go"]`},
		{"paths out of a list", toolschema.Property{Name: "files", Types: array, Items: &toolschema.Property{Types: text, Enum: []byte(`["b.go"]`)}}, where, ""},
		{"uris", toolschema.Property{Name: "uris", Types: array, Items: &toolschema.Property{Types: text}}, where, `["file:///w/sub%20dir/a.go"]`},
		{"paths without a document", toolschema.Property{Name: "paths", Types: array}, &Context{}, ""},
		{"path that its description calls either", toolschema.Property{Name: "path", Types: text, Description: "A file or a folder"}, where, `"/w/sub dir/a.go"`},
		{"directory that wants a URI", toolschema.Property{Name: "directory", Types: text, Format: "uri"}, where, `"file:///w/sub%20dir"`},
		{"any other name", toolschema.Property{Name: "command", Types: text}, where, ""},
		{"no context", toolschema.Property{Name: "path", Types: text}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := newProposer(hintsOf(&command{}, nil), test.where, nil).propose(test.property)
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
	b.bound = map[string]Bound{"root": {Text: "/w"}, "depth": {Text: "3"}, "path": {Text: "/bound"}}
	b.catalogs = []listing{{
		Server: Server{Name: "s", State: "ready"}, Tools: raw(tool),
		Prompts: raw(`{"name":"p","arguments":[{"name":"language","required":true},{"name":"line"},{"name":"tone","required":true}]}`),
	}}
	e := open(t, b, fakeeditor.Options{})
	const context = `{"textDocument":{"uri":"file:///w/a.go"},"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"languageId":"go"}`
	for _, test := range []struct{ name, params, want string }{
		{"tool", `{"command":"mcp.tool.s.t","context":` + context + `}`, `{"arguments":{"root":"/w","depth":3,"path":"/bound","line":2},"missing":["text","other","unsaid"],"bound":["depth","path","root"]}`},
		{"tool without context", `{"command":"mcp.tool.s.t"}`, `{"arguments":{"root":"/w","depth":3,"path":"/bound"},"missing":["text","other","unsaid"],"bound":["depth","path","root"]}`},
		{"what is given is not proposed again, and counts", `{"command":"mcp.tool.s.t","context":` + context + `,"arguments":{"path":"/p","unsaid":1}}`, `{"arguments":{"path":"/p","unsaid":1,"root":"/w","depth":3,"line":2},"missing":["text","other"],"bound":["depth","root"]}`},
		{"an argument that is misspelt", `{"command":"mcp.tool.s.t","arguments":{"pth":"/p","x":1}}`, `{"arguments":{"pth":"/p","x":1,"root":"/w","depth":3,"path":"/bound"},"missing":["text","other","unsaid"],"bound":["depth","path","root"],"strangers":[{"name":"pth","meant":"path"}]}`},
		{"arguments that a prompt does not have", `{"command":"mcp.prompt.s.p","arguments":{"langauge":"go","x":"y"}}`, `{"arguments":{"langauge":"go","x":"y"},"missing":["language","tone"],"bound":[],"strangers":[{"name":"langauge","meant":"language"}]}`},
		{"prompt", `{"command":"mcp.prompt.s.p","context":` + context + `}`, `{"arguments":{"language":"go","line":"2"},"missing":["tone"],"bound":[]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := requested(t, e, "editord/prefill", json.RawMessage(test.params))
			if !sameJSON(result, []byte(test.want)) {
				t.Errorf("got  %s\nwant %s", result, test.want)
			}
		})
	}
}

// What the tools of servers that many people use get. "path" is the document, "dir" its folder,
// "root" the workspace folder, and "selected" the selection.
func TestProposeForTools(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	const text = `{"type":"string"}`
	selected := "selected"
	where := &Context{TextDocument: &TextDocument{URI: "file:///root/dir/path"}, SelectedText: &selected}
	folders := []Folder{{URI: "file:///root"}, {URI: "file:///other"}, {URI: "file:///ro"}}
	for _, test := range []struct{ name, tool, want string }{
		{"read_text_file", `{"description":"Read the complete contents of a file","inputSchema":{"properties":{"path":` + text + `}}}`, "path"},
		{"read_multiple_files", `{"inputSchema":{"properties":{"paths":{"type":"array","items":{"type":"string"}}}}}`, "paths"},
		{"list_directory", `{"description":"Lists all files and directories in a path","inputSchema":{"properties":{"path":` + text + `}}}`, "dir"},
		{"list_directory_with_sizes", `{"inputSchema":{"properties":{"path":` + text + `}}}`, "dir"},
		{"listDir", `{"inputSchema":{"properties":{"path":` + text + `}}}`, "dir"},
		{"ls", `{"inputSchema":{"properties":{"path":` + text + `}}}`, "dir"},
		{"tree", `{"description":"Shows a folder","inputSchema":{"properties":{"path":` + text + `}}}`, "dir"},
		{"get_file_info", `{"description":"Metadata of a file or directory","inputSchema":{"properties":{"path":` + text + `}}}`, "path"},
		{"search_files", `{"description":"Searches directories","inputSchema":{"properties":{"path":` + text + `}}}`, ""},
		{"search", `{"inputSchema":{"properties":{"path":{"type":"string","description":"the folder to begin in"}}}}`, "dir"},
		{"delete_directory", `{"inputSchema":{"properties":{"path":` + text + `}}}`, ""},
		{"remove", `{"inputSchema":{"properties":{"path":{"type":"string","description":"the folder to remove"}}}}`, ""},
		{"git_status", `{"inputSchema":{"properties":{"repo_path":` + text + `}}}`, "root"},
		{"optional", `{"inputSchema":{"properties":{"path":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}}}`, "path"},
		{"optional list", `{"inputSchema":{"properties":{"paths":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}}}}`, "paths"},
		{"list of objects, by reference", `{"inputSchema":{"$defs":{"f":{"type":"object"}},"properties":{"files":{"type":"array","items":{"$ref":"#/$defs/f"}}}}}`, ""},
		{"a choice, by reference", `{"inputSchema":{"$defs":{"f":{"enum":["a","b"],"type":"string"}},"properties":{"path":{"anyOf":[{"$ref":"#/$defs/f"},{"type":"null"}]}}}}`, ""},

		{"write_file", `{"annotations":{"readOnlyHint":false,"destructiveHint":true},"inputSchema":{"properties":{"path":` + text + `,"content":` + text + `}}}`, "path"},
		{"write_file without annotations", `{"inputSchema":{"properties":{"file_path":` + text + `,"content":` + text + `}}}`, "path"},
		{"append", `{"annotations":{"destructiveHint":false},"inputSchema":{"properties":{"path":` + text + `,"text":` + text + `}}}`, "path"},
		{"put where somebody else says", `{"inputSchema":{"properties":{"targetFile":` + text + `,"text":` + text + `}}}`, ""},
		{"check", `{"annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"path":` + text + `,"code":` + text + `}}}`, "path selected"},
		{"create_issue", `{"inputSchema":{"properties":{"profile":` + text + `,"text":` + text + `}}}`, "selected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &command{commandKey: commandKey{kind: calldoc.Tool, name: test.name}, definition: json.RawMessage(test.tool)}
			schema := toolschema.OfTool(c.definition)
			p := newProposer(hintsOf(c, schema), where, folders)
			var got []string
			for _, value := range rawjson.Members(p.fillSelected(p.fillPlaces(nil, schema), schema)) {
				if string(value) == `["/root/dir/path"]` {
					got = append(got, "paths")
				} else {
					got = append(got, path.Base(strings.Trim(string(value), `"`)))
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("proposed %q, want %q", got, test.want)
			}
		})
	}
}

// The selection goes to the one required text that nothing else fills, whatever its name.
func TestProposeTheSelection(t *testing.T) {
	const text = `{"type":"string"}`
	selected := `some "text"`
	for _, test := range []struct{ name, tool, given, want string }{
		{"one required text", `{"properties":{"message":` + text + `},"required":["message"]}`, `{}`, `{"message":"some \"text\""}`},
		{"of a prompt", "", `{}`, `{"topic":"some \"text\""}`},
		{"beside what may be left out", `{"properties":{"query":` + text + `,"term":` + text + `},"required":["term"]}`, `{}`, `{"term":"some \"text\""}`},
		{"that may be null", `{"properties":{"message":{"type":["string","null"]}},"required":["message"]}`, `{}`, `{"message":"some \"text\""}`},
		{"beside one that is bound", `{"properties":{"project":` + text + `,"term":` + text + `},"required":["project","term"]}`, `{"project":"p"}`, `{"project":"p","term":"some \"text\""}`},
		{"beside one that the document fills", `{"properties":{"language":` + text + `,"snippet":` + text + `},"required":["language","snippet"]}`, `{}`, `{"language":"go","snippet":"some \"text\""}`},
		{"beside a choice, a number and an address", `{"properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"number"},"c":{"type":"string","format":"uri"},"term":` + text + `},"required":["a","b","c","term"]}`, `{}`, `{"term":"some \"text\""}`},
		{"two required texts", `{"properties":{"subject":` + text + `,"message":` + text + `},"required":["subject","message"]}`, `{}`, `{}`},
		{"two, one of which has the name of a text", `{"properties":{"title":` + text + `,"text":` + text + `},"required":["title","text"]}`, `{}`, `{"text":"some \"text\""}`},
		{"none is required, and one has the name of a text", `{"properties":{"q":` + text + `,"query":` + text + `}}`, `{}`, `{"query":"some \"text\""}`},
		{"a text without a type, by its name", `{"properties":{"text":{}}}`, `{}`, `{"text":"some \"text\""}`},
		{"a number with the name of a text", `{"properties":{"text":{"type":"number"}},"required":["text"]}`, `{}`, `{}`},
		{"a place is no text", `{"properties":{"path":` + text + `},"required":["path"]}`, `{}`, `{}`},
		{"a tool that may write gets no place and text", `{"properties":{"path":` + text + `,"message":` + text + `},"required":["path","message"]}`, `{"path":"/p"}`, `{"path":"/p"}`},
		{"but it may be asked", `{"properties":{"path":` + text + `,"query":` + text + `},"required":["path","query"]}`, `{"path":"/p"}`, `{"path":"/p","query":"some \"text\""}`},
		{"what is given stays", `{"properties":{"message":` + text + `},"required":["message"]}`, `{"message":"m"}`, `{"message":"m"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &command{commandKey: commandKey{kind: calldoc.Tool, name: "t"}, definition: json.RawMessage(`{"inputSchema":` + test.tool + `}`)}
			if test.tool == "" {
				c = &command{commandKey: commandKey{kind: calldoc.Prompt, name: "p"}, definition: json.RawMessage(`{"arguments":[{"name":"topic","required":true},{"name":"tone"}]}`)}
			}
			schema := toolschema.OfTool(c.definition)
			if c.kind == calldoc.Prompt {
				schema = toolschema.OfPrompt(c.definition)
			}
			p := newProposer(hintsOf(c, schema), &Context{SelectedText: &selected, LanguageID: "go"}, nil)
			got := p.fillSelected(p.fillPlaces(json.RawMessage(test.given), schema), schema)
			if !sameJSON(got, []byte(test.want)) {
				t.Errorf("proposed %s, want %s", got, test.want)
			}
			for _, none := range []*Context{{}, {SelectedText: new(string)}} {
				p := newProposer(hintsOf(c, schema), none, nil)
				if got := p.fillSelected(json.RawMessage(test.given), schema); string(got) != test.given {
					t.Errorf("without a selection it proposed %s", got)
				}
			}
		})
	}
}

func TestFolderOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for _, test := range []struct {
		name, path string
		folders    []Folder
		want       string
	}{
		{"in the folder", "/a/b", []Folder{{URI: "file:///a"}}, "/a"},
		{"in the inner folder", "/a/b/c", []Folder{{URI: "file:///a"}, {URI: "file:///a/b"}}, "/a/b"},
		{"in the root", "/a", []Folder{{URI: "file:///"}}, "/"},
		{"beside the folder", "/ab/c", []Folder{{URI: "file:///a"}}, ""},
		{"no document, one folder", "", []Folder{{URI: "file:///a"}}, "/a"},
		{"no document, two folders", "", []Folder{{URI: "file:///a"}, {URI: "file:///b"}}, ""},
		{"no folder", "/a", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := folderOf(test.path, test.folders); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
