package editorapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// completed returns what is offered at the mark ‸ of a text, each as the text that it makes of the line.
func completed(t *testing.T, l configLanguage, marked string) (offered []string) {
	t.Helper()
	at := strings.Index(marked, "‸")
	text := strings.Replace(marked, "‸", "", 1)
	list, whole := l.complete(t.Context(), &document{text: textdoc.New(text)}, at)
	if !whole {
		t.Errorf("%s: there is more", marked)
	}
	for _, c := range list {
		if c.Insert.Start > at || c.Insert.End < at || strings.ContainsRune(text[c.Insert.Start:c.Insert.End], '\n') {
			t.Errorf("%s: %s leaves the cursor: %v", marked, c.Label, c.Insert.Span)
		}
		line := text[:c.Insert.Start] + c.Insert.Text + text[c.Insert.End:]
		start := strings.LastIndexByte(line[:c.Insert.Start], '\n') + 1
		line, _, _ = strings.Cut(line[start:], "\n")
		offered = append(offered, strings.TrimSpace(line))
	}
	return offered
}

// In a string that begins a variable, variables are offered: those of the environment only if the file uses them
// already.
func TestConfigCompletesVariables(t *testing.T) {
	l := configLanguage{s: &session{attachment: newFakeBackend()}, file: ConfigFile{Schema: json.RawMessage("{}"), Inputs: []string{"token", `a"b`}, Environment: []string{"HOME_X"}}}
	for marked, want := range map[string]string{
		"{\"servers\": {\"x\": {\n\"cwd\": \"${‸\"\n}}}":                                 `"cwd": "${workspaceFolder}"`,
		"{\"servers\": {\"x\": {\n\"cwd\": \"${work‸\"\n}}}":                             `"cwd": "${workspaceFolderBasename}"`,
		"{\"servers\": {\"x\": {\n\"cwd\": \"a/${in‸put:t}/b\"\n}}}":                     `"cwd": "a/${input:token}/b"`,
		"{\"servers\": {\"x\": {\n\"cwd\": \"${‸\n}}}":                                   `"cwd": "${env:HOME_X}`,
		"{\"servers\": {\"x\": {\n\"args\": [\"${‸\"]\n}}}":                              `"args": ["${input:a\"b}"]`,
		"{\"servers\": {\"x\": {\"tools\": {\"t\": {\"bind\": {\n\"p\": \"${‸\"\n}}}}}}": `"p": "${relativeFile}"`,
	} {
		if got := completed(t, l, marked); !strings.Contains(strings.Join(got, "\x00")+"\x00", want+"\x00") {
			t.Errorf("%s\n got %q\nwant %s among them", marked, got, want)
		}
	}
	for _, marked := range []string{
		"{\"servers\": {\"x\": {\"cwd\": \"${a}‸\"}}}", "{\"servers\": {\"x\": {\"cwd\": \"$‸\"}}}", "{\"servers\": {\"${‸\": {}}}", "{\"servers\": {\"x\": {\"cwd\": ${‸}}}", "// ${‸\n{}",
	} {
		if got := completed(t, l, marked); len(got) > 0 && strings.Contains(got[0], "workspaceFolder") {
			t.Errorf("%s: got %q", marked, got)
		}
	}
	if got := completed(t, l, `{"servers": {"x": {"cwd": "${‸"}}}`); strings.Contains(strings.Join(got, " "), "selectedText") {
		t.Errorf("outside of bind: got %q", got)
	}
}

// Rules for tools are about the tools of a server that is ready.
func TestConfigCompletesTools(t *testing.T) {
	b := newFakeBackend()
	b.setCatalogs(listing{Server: Server{Name: "x"}, Tools: raw(`{"name":"read","description":"Reads.","inputSchema":{"properties":{"path":{},"limit":{}}}}`, `{"name":"we\"ird"}`)})
	l := configLanguage{s: &session{attachment: b}, file: ConfigFile{Schema: json.RawMessage("{}")}}
	for marked, want := range map[string]string{
		"{\"servers\": {\"x\": {\"tools\": {\n‸\n}}}}":                                 `"read": {}|"we\"ird": {}`,
		"{\"mcpServers\": {\"x\": {\"agents\": {\n\"r‸\"\n}}}}":                        `"read":|"we\"ird":`,
		"{\"servers\": {\"x\": {\"agents\": {\"read\": \"ask\",\n\"‸\": \"ask\"\n}}}}": `"we\"ird": "ask"`,
		"{\"servers\": {\"x\": {\"tools\": {\"read\": {\"bind\": {\n\"‸\n}}}}}}":       `"path": ""|"limit": ""`,
		"{\"servers\": {\"other\": {\"tools\": {\n‸\n}}}}":                             ``,
		"{\"servers\": {\"x\": {\"env\": {\n‸\n}}}}":                                   ``,
	} {
		if got := strings.Join(completed(t, l, marked), "|"); got != want {
			t.Errorf("%s\n got %s\nwant %s", marked, got, want)
		}
	}
}

// A key and a value are explained by the schema, in plain text though that has Markdown, the name of a server by its state.
func TestConfigHover(t *testing.T) {
	b := newFakeBackend()
	text, span := inFile(plainEntry)
	l := configLanguage{s: &session{attachment: b}, file: ConfigFile{
		Schema: json.RawMessage(`{"properties":{"servers":{"additionalProperties":{"properties":{"command":{"description":"What ` + "`runs`" + `."}}}}}}`),
		Servers: []ConfigServer{{Name: "x", Key: textdoc.Span{Start: span.Start, End: span.Start + 3}, Entry: span, Server: &Server{
			Name: "x", State: ServerFailed, Error: &ServerError{Message: "It ended."},
		}}},
	}}
	for at, want := range map[string]string{"mmand": `"command" What runs.`, "npx": `"npx" What runs.`, `x": {`: `"x" Failed.` + "\nIt ended.", "args": "", "}\n}": ""} {
		h, ok := l.hover(&document{text: textdoc.New(text)}, strings.Index(text, at))
		got := ""
		if ok {
			got = text[h.Start:h.End] + " " + h.Text
		}
		if got != want {
			t.Errorf("at %s: got %q, want %q", at, got, want)
		}
	}
}

// An empty file is begun with one server, under the key that others read there.
func TestConfigCompletesAnEmptyFile(t *testing.T) {
	for uri, key := range map[string]string{"file:///w/.mcp.json": "mcpServers", "file:///w/.cursor/mcp.json": "mcpServers", "file:///w/.vscode/mcp.json": "servers", "file:///h/mcp.json": "servers"} {
		l := configLanguage{s: &session{attachment: newFakeBackend()}, file: ConfigFile{Schema: json.RawMessage("{}")}}
		list, _ := l.complete(t.Context(), &document{uri: uri, text: textdoc.New("\n ")}, 0)
		var file map[string]map[string]struct{ Command string }
		if len(list) != 1 || json.Unmarshal([]byte(list[0].Insert.Text), &file) != nil || file[key]["NAME"].Command == "" {
			t.Errorf("in %s is offered %+v", uri, list)
		}
	}
}
