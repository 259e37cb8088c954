package editorapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/testkit/fakeeditor"
)

// offer is a ready server with these tools.
func offer(server string, tools ...string) ServerCatalog {
	c := ServerCatalog{Server: Server{Name: server, State: "ready"}}
	for _, name := range tools {
		c.Tools = append(c.Tools, encodeOwn(map[string]string{"name": name}))
	}
	return c
}

// ids maps "server tool" to the id of its command.
func ids(t *commandTable) map[string]string {
	m := map[string]string{}
	for key, c := range t.byKey {
		m[key.server+" "+key.name] = c.id
	}
	return m
}

// Row 22 of the faults: ids are stable, safe, and each reaches one tool.
func TestCommandIDs(t *testing.T) {
	long := strings.Repeat("n", 200)
	suffix := func(server, name string) string {
		return "-" + commandKey{kindTool, server, name}.hash()[:8]
	}
	for _, test := range []struct {
		name     string
		catalogs []ServerCatalog
		want     map[string]string
	}{
		{"plain", []ServerCatalog{offer("fs", "read_file", "a.b-C9")}, map[string]string{
			"fs read_file": "mcp.tool.fs.read_file", "fs a.b-C9": "mcp.tool.fs.a.b-C9"}},
		{"same name in two servers", []ServerCatalog{offer("a", "x"), offer("b", "x")}, map[string]string{
			"a x": "mcp.tool.a.x", "b x": "mcp.tool.b.x"}},
		{"a dot moves from one name to the other", []ServerCatalog{offer("a.b", "c"), offer("a", "b.c")}, map[string]string{
			"a b.c": "mcp.tool.a.b.c", "a.b c": "mcp.tool.a.b.c" + suffix("a.b", "c")}},
		{"characters that are changed", []ServerCatalog{offer("s s", "do it!", "\x1b[1m", "ж")}, map[string]string{
			"s s do it!": "mcp.tool.s_s.do_it_" + suffix("s s", "do it!"), "s s \x1b[1m": "mcp.tool.s_s.__1m" + suffix("s s", "\x1b[1m"), "s s ж": "mcp.tool.s_s._" + suffix("s s", "ж")}},
		{"an exact name comes first", []ServerCatalog{offer("s", "a b", "a_b", "a!b")}, map[string]string{
			"s a_b": "mcp.tool.s.a_b", "s a b": "mcp.tool.s.a_b" + suffix("s", "a b"), "s a!b": "mcp.tool.s.a_b" + suffix("s", "a!b")}},
		{"too long", []ServerCatalog{offer("s", long, long+"2")}, map[string]string{
			"s " + long: "mcp.tool.s." + long[:128] + suffix("s", long), "s " + long + "2": "mcp.tool.s." + long[:128] + suffix("s", long+"2")}},
		{"a name that looks like a suffix", []ServerCatalog{offer("s", "a b", "a_b"+suffix("s", "a b"))}, map[string]string{
			"s a_b" + suffix("s", "a b"): "mcp.tool.s.a_b" + suffix("s", "a b"),
			"s a b":                      "mcp.tool.s.a_b-" + commandKey{kindTool, "s", "a b"}.hash()[:16]}},
		{"twice, and without a name", []ServerCatalog{offer("s", "x", "x", "")}, map[string]string{"s x": "mcp.tool.s.x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			table := newCommandTable(test.catalogs, &commandTable{})
			if got := ids(table); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			for id, c := range table.byID {
				if !regexp.MustCompile(`^mcp\.tool\.[A-Za-z0-9_.-]+$`).MatchString(id) || c.id != id {
					t.Errorf("the id %q of %q is not safe", id, c.name)
				}
			}
		})
	}
}

// A known hash, so that ids stay what they are from one version to the next.
func TestCommandHash(t *testing.T) {
	if got := (commandKey{kindTool, "s", "a b"}).hash()[:8]; got != "421b1a16" {
		t.Errorf("the hash is %s", got)
	}
}

// An id that somebody holds never turns into another tool while its own is there.
func TestCommandIDsStay(t *testing.T) {
	first := newCommandTable([]ServerCatalog{offer("a.b", "c")}, &commandTable{})
	second := newCommandTable([]ServerCatalog{offer("a", "b.c"), offer("a.b", "c")}, first)
	if got := second.byID["mcp.tool.a.b.c"]; got == nil || got.server != "a.b" {
		t.Errorf("mcp.tool.a.b.c now is %+v", got)
	}
	if id := ids(second)["a b.c"]; !strings.HasPrefix(id, "mcp.tool.a.b.c-") {
		t.Errorf("the newcomer has the id %q", id)
	}
	third := newCommandTable([]ServerCatalog{offer("a", "b.c")}, second)
	if len(third.byID) != 1 {
		t.Errorf("what is gone is still there: %q", third.ids)
	}
}

// Row 22: the call reaches the right server and tool, whatever the id looks like.
func TestCommandReachesItsTool(t *testing.T) {
	b := newFakeBackend()
	b.setCatalogs(offer("a.b", "c"), offer("a", "b.c", "Ünïcode \"tool\""), offer("z", "same"), offer("y", "same"))
	e := open(t, b, fakeeditor.Options{})
	result, err := e.Request("editord/catalog", nil)
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	for server := range rawjson.Elements(rawjson.Get(result, "servers")) {
		for tool := range rawjson.Elements(rawjson.Get(server, "tools")) {
			if _, err := e.Request("workspace/executeCommand", map[string]string{"command": rawjson.String(tool, "command")}); err != nil {
				t.Fatal(err)
			}
			c := b.lastCall(t)
			if c.Server != rawjson.String(rawjson.Get(server, "server"), "name") || rawjson.String(c.Params, "name") != rawjson.String(rawjson.Get(tool, "tool"), "name") {
				t.Errorf("%s called %s of %s", tool, c.Params, c.Server)
			}
			if c.Cause.Command != rawjson.String(tool, "command") {
				t.Errorf("the cause is %+v", c.Cause)
			}
			called++
		}
	}
	if called != 5 {
		t.Errorf("%d tools were called", called)
	}
}

func TestExecuteCommand(t *testing.T) {
	const tool = `{"name":"t","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"deep":{"type":["boolean","null"]},"list":{"type":"array"},"bad":{"type":"integer"}}}}`
	for _, test := range []struct{ name, command, arguments, want string }{
		{"no arguments", "mcp.tool.s.t", `[]`, `{"name":"t","arguments":{"deep":true,"n":7,"path":"/w","list":["a"],"x y":"free"}}`},
		{"null", "mcp.tool.s.t", `[null,null]`, `{"name":"t","arguments":{"deep":true,"n":7,"path":"/w","list":["a"],"x y":"free"}}`},
		{"an empty Lua table", "mcp.tool.s.t", `[[]]`, `{"name":"t","arguments":{"deep":true,"n":7,"path":"/w","list":["a"],"x y":"free"}}`},
		{"what is given stays", "mcp.tool.s.t", `[{"path":null,"n":1.0,"deep":false,"list":[9007199254740993],"x y":"<>"}]`,
			`{"name":"t","arguments":{"path":null,"n":1.0,"deep":false,"list":[9007199254740993],"x y":"<>"}}`},
		{"prompt", "mcp.prompt.s.p", `[{"a":"x","n":1.50,"b":true,"gone":null}]`, `{"name":"p","arguments":{"a":"x","n":"1.50","b":"true"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.bound = map[string]string{"path": "/w", "n": "7", "deep": "true", "list": `["a"]`, "bad": "seven", "x y": "free"}
			b.catalogs = []ServerCatalog{{Server: Server{Name: "s", State: "ready"}, Tools: raw(tool), Prompts: raw(`{"name":"p"}`)}}
			e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor})
			if _, err := e.Request("workspace/executeCommand", map[string]any{"command": test.command, "arguments": json.RawMessage(test.arguments)}); err != nil {
				t.Fatal(err)
			}
			got := b.lastCall(t).Params
			if !sameJSON(got, []byte(test.want)) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if b.used != 1 {
				t.Errorf("the editor was used %d times", b.used)
			}
		})
	}
}

// sameJSON compares two values, the order of members aside.
func sameJSON(a, b json.RawMessage) bool {
	return string(sorted(a)) == string(sorted(b))
}

func sorted(raw json.RawMessage) json.RawMessage {
	if !rawjson.IsObject(raw) {
		return raw
	}
	members := map[string]json.RawMessage{}
	for name, value := range rawjson.Members(raw) {
		members[name] = sorted(value)
	}
	return encodeOwn(members)
}

// The commands of a server that is not ready are known, but cannot be run.
func TestCommandOfServerThatIsNotReady(t *testing.T) {
	b := newFakeBackend()
	b.servers = []Server{{Name: "s", State: "starting"}, {Name: "ok", State: "ready"}}
	e := open(t, b, fakeeditor.Options{})
	_, err := e.Request("workspace/executeCommand", map[string]string{"command": "mcp.tool.s.t"})
	wantError(t, err, -32803, KindServerNotReady, "starting")
	_, err = e.Request("workspace/executeCommand", map[string]string{"command": "mcp.tool.ok.t"})
	wantError(t, err, -32602, KindInvalidParams, "command")
}

func TestDaemonCommands(t *testing.T) {
	for _, test := range []struct{ command, arguments, result, text string }{
		{"editord.restartServer", `[{"server":"s"}]`, `{"name":"s","state":"ready","scope":"","transport":"","source":"","restarts":0}`, "The server s is ready."},
		{"editord.showStatus", `[]`, `{"version":"1.2.3","pid":0,"socket":"","config":"","logFile":"","uptime":0,"editors":[],"servers":[],"counters":{}}`, `mcp-editord 1.2.3: s ready, e\u{1b}vil failed.`},
		{"editord.showServerLog", `[{"server":"s"}]`, `{"lines":[]}`, "The log is empty."},
		{"editord.restartServer", `[]`, `{"name":"e\u001bvil","state":"ready","scope":"","transport":"","source":"","restarts":0}`, `The server e\u{1b}vil is ready.`}, // the one that failed
	} {
		for _, capabilities := range []json.RawMessage{nil, mcpEditor} {
			b := newFakeBackend()
			b.servers = []Server{{Name: "s", State: "ready"}, {Name: "e\x1bvil", State: "failed"}}
			e := open(t, b, fakeeditor.Options{Capabilities: capabilities})
			result, err := e.Request("workspace/executeCommand", map[string]any{"command": test.command, "arguments": json.RawMessage(test.arguments)})
			if err != nil {
				t.Fatal(err)
			}
			wantJSON(t, result, test.result)
			wantShown(t, e, capabilities == nil, string(encodeOwn(map[string]any{"type": 3, "message": test.text})))
		}
	}
}

// wantShown checks the params of the one window/showMessage, or that there is none.
func wantShown(t *testing.T, e *fakeeditor.Editor, shown bool, want string) {
	t.Helper()
	var got []string
	for _, m := range e.Messages() {
		if m.Method == "window/showMessage" {
			got = append(got, string(m.Params))
		}
	}
	switch {
	case shown && (len(got) != 1 || !sameJSON([]byte(got[0]), []byte(want))):
		t.Errorf("shown was %q, want %s", got, want)
	case !shown && len(got) > 0:
		t.Errorf("shown was %q, want nothing", got)
	}
}

// An editor without experimental.mcp is shown the text of a result.
func TestResultText(t *testing.T) {
	for _, test := range []struct{ name, result, want string }{
		{"texts", `{"content":[{"type":"text","text":"a"},{"type":"image","data":""},{"type":"text","text":"b\tc"}]}`, "a\nb\tc"},
		{"a prompt", `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`, "hi"},
		{"escapes", `{"content":[{"type":"text","text":"\u001b[2Jx\u202e"}]}`, `\u{1b}[2Jx\u{202e}`},
		{"exactly long", `{"content":[{"type":"text","text":"` + strings.Repeat("ä", 499) + `"}]}`, strings.Repeat("ä", 499)},
		{"too long", `{"content":[{"type":"text","text":"` + strings.Repeat("ä", 600) + `"}]}`, strings.Repeat("ä", 499) + "…"},
		{"long through escapes", `{"content":[{"type":"text","text":"` + strings.Repeat(`\u0001`, 400) + `"}]}`, strings.Repeat(`\u{1}`, 100)[:499] + "…"},
		{"no text", `{"content":[{"type":"image","data":"x"}]}`, ""},
		{"nothing known", `{"x":1}`, ""},
		{"not an object", `[1]`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := resultText(json.RawMessage(test.result)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
