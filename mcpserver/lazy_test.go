package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// toolbox is a catalog whose tools are found.
func toolbox() *catalog {
	return newCatalog([]editorapi.CatalogServer{
		offers("git", []string{
			`{"name":"log","description":"Shows commits.\nMore of it.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`,
			`{"name":"commit","title":"Make a commit","description":"Records changes","annotations":{"readOnlyHint":false,"destructiveHint":false}}`,
			`{"name":"resetHard","description":"Throws changes away\u001b[0m","annotations":{"destructiveHint":true}}`,
		}, nil, nil, nil),
		offers("hub", []string{
			`{"name":"list_repositories","description":"Lists what there is"}`,
			`{"name":"delete_repo","annotations":{"title":"Delete a repository","readOnlyHint":"true"}}`,
		}, nil, nil, nil),
		offers("empty", nil, nil, nil, nil),
	}, naming{lazy: true})
}

func TestLazyTools(t *testing.T) {
	var b strings.Builder
	for _, tool := range toolbox().lists[wire.ListTools] {
		if err := rawjson.Check(tool); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
		b.Write(tool)
		b.WriteByte('\n')
	}
	compare(t, "lazy_tools.golden", b.String())
}

// The list of servers stays bounded.
func TestLazyToolsOfManyServers(t *testing.T) {
	var servers []editorapi.CatalogServer
	for i := range 300 {
		servers = append(servers, offers(fmt.Sprintf("a-server-with-a-name-%d", i), []string{`{"name":"x"}`}, nil, nil, nil))
	}
	c := newCatalog(servers, naming{lazy: true})
	got := rawjson.String(c.lists[wire.ListTools][0], "description")
	if len(got) > 800 || !strings.Contains(got, "a-server-with-a-name-0 (1), ") || !strings.HasSuffix(got, " more servers.") {
		t.Errorf("got %s", got)
	}
	if got := newCatalog(nil, naming{lazy: true}).serverList(); got != "No server has tools now." {
		t.Errorf("without servers: %s", got)
	}
}

func TestLazyCall(t *testing.T) {
	refused := func(text string) string { return string(refusal("%s", text)) }
	found := func(total int, tools ...string) string {
		return fmt.Sprintf(`{"tools":[%s],"total":%d}`, strings.Join(tools, ","), total)
	}
	const (
		log    = `{"name":"git__log","server":"git","description":"Shows commits.","callWith":"call_read_only_tool"}`
		commit = `{"name":"git__commit","server":"git","description":"Records changes","callWith":"call_tool"}`
		reset  = `{"name":"git__resetHard","server":"git","description":"Throws changes away\\u{1b}[0m","callWith":"call_destructive_tool"}`
		repos  = `{"name":"hub__list_repositories","server":"hub","description":"Lists what there is","callWith":"call_destructive_tool"}`
		remove = `{"name":"hub__delete_repo","server":"hub","callWith":"call_destructive_tool"}`
	)
	c := toolbox()
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"find in a name first", findTools, `{"query":"commit"}`, found(2, commit, log)},
		{"find by two words", findTools, `{"query":"delete repositories"}`, found(2, remove, repos)},
		{"find by the beginning of a word", findTools, `{"query":"REPO"}`, found(2, remove, repos)},
		{"find a word within a name", findTools, `{"query":"hard?"}`, found(1, reset)},
		{"find by the server", findTools, `{"query":"hub"}`, found(2, repos, remove)},
		{"find everything of a server", findTools, `{"query":"","server":"git"}`, found(3, log, commit, reset)},
		{"find everything", findTools, ``, found(5, log, commit, reset, repos, remove)},
		{"find with a limit", findTools, `{"query":"commit","limit":1}`, found(2, commit)},
		{"find with a limit that is none", findTools, `{"query":"commit","limit":0}`, found(2, commit, log)},
		{"find by what is no text", findTools, `{"query":7}`, refused("The arguments do not follow the schema: json: cannot unmarshal number into Go struct field lazyArguments.Query of type string.")},
		{"find nothing", findTools, `{"query":"nothing"}`, found(0)},
		{"find in a server that has none", findTools, `{"query":"","server":"empty"}`, refused(`No server "empty" has tools. Servers and how many tools they have: git (3), hub (2).`)},

		{"describe", describeTools, `{"names":["git__log","x\u001b"]}`, `{"tools":[{"callWith":"call_read_only_tool","definition":{"name":"git__log","description":"Shows commits.\nMore of it.",` +
			`"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}}],"unknown":["x\\u{1b}"]}`},
		{"describe what is not there", describeTools, `{"names":["log"]}`, refused(`There is no tool "log"; find_tools lists those that are there.`)},
		{"describe nothing", describeTools, `{"names":[]}`, refused(`"names" must be a list of 1 to 20 names, as find_tools gave them.`)},

		{"call a read-only tool", callReadOnly, `{"name":"git__log","arguments":{"n": 1.0}}`, `git log {"n": 1.0}`},
		{"call another tool without arguments", callOther, `{"name":"git__commit"}`, `git commit `},
		{"call a destructive tool", callDestructive, `{"name":"git__resetHard","arguments":null}`, `git resetHard `},
		{"call a tool without hints", callDestructive, `{"name":"hub__list_repositories","arguments":{}}`, `hub list_repositories {}`},
		{"call a tool with a hint that is no boolean", callReadOnly, `{"name":"hub__delete_repo"}`, refused(`"hub__delete_repo" is called with call_destructive_tool, not with call_read_only_tool.`)},
		{"call a destructive tool by the wrong one", callOther, `{"name":"git__resetHard"}`, refused(`"git__resetHard" is called with call_destructive_tool, not with call_tool.`)},
		{"call a read-only tool by the wrong one", callDestructive, `{"name":"git__log"}`, refused(`"git__log" is called with call_read_only_tool, not with call_destructive_tool.`)},
		{"call what is not there", callOther, `{"name":"git__none"}`, refused(`There is no tool "git__none"; find_tools lists those that are there.`)},
		{"call nothing", callOther, `{}`, refused(`There is no tool ""; find_tools lists those that are there.`)},
		{"call with a text", callReadOnly, `{"name":"git__log","arguments":"{}"}`, refused(`"arguments" must be an object, as describe_tools says.`)},

		{"a tool that is not listed", "git__log", `{}`, `  `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var arguments json.RawMessage
			if tt.arguments != "" {
				arguments = json.RawMessage(tt.arguments)
			}
			answer, call, args := c.lazyCall(tt.tool, arguments)
			got := string(answer)
			switch {
			case answer == nil:
				got = call.server + " " + call.name + " " + string(args)
			case rawjson.Get(answer, "structuredContent") != nil:
				got = string(rawjson.Get(answer, "structuredContent"))
				for block := range rawjson.Elements(rawjson.Get(answer, "content")) {
					if text := rawjson.String(block, "text"); text != got {
						t.Errorf("the text is %s", text)
					}
				}
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if answer != nil && rawjson.Check(answer) != nil {
				t.Errorf("%s is not valid", answer)
			}
		})
	}
}
