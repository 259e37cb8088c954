package agentconfig

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// A file that is not what it should be is left alone, with the place of what is wrong.
func TestConnectRefuses(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("[", maxBrackets)
	tests := []struct {
		name, agent, before, want string
	}{
		{"not JSON", "claude", "{\n  \"a\": tok-secret\n}", "not valid JSON at line 2"},
		{"cut off", "claude", "{\n  \"mcpServers\": {", "not valid JSON at line 2"},
		{"a list", "claude", "[]", "not a JSON object at line 1, column 1"},
		{"only a comment", "zed", "// nothing\n", "not valid JSON"},
		{"servers that are a list", "claude", "{\n \"mcpServers\": []}", `"mcpServers" is not an object at line 2, column 16`},
		{"servers twice", "claude", "{\"mcpServers\": {},\n\"mcpServers\": {}}", `"mcpServers" twice, again at line 2, column 1`},
		{"the name twice", "claude", `{"mcpServers": {"mcp-editord": {}, "mcp-editord": {}}}`, `"mcp-editord" twice`},
		{"the name is another server", "claude", `{"mcpServers": {"mcp-editord": {"command": "other", "args": ["mcp"]}}}`, "another server; take it out, or add --replace"},
		{"the name is no server", "claude", `{"mcpServers": {"mcp-editord": "x"}}`, "another server"},
		{"many brackets", "claude", `{"a":` + many, "brackets"},
		{"UTF-16", "claude", "\xff\xfe{\x00}\x00", "not valid JSON"},
		{"not TOML", "codex", "a = 1\nb = tok-secret\n", "not valid TOML at line 2"},
		{"a table twice", "codex", "[a]\n[b]\n[a]\n", "not valid TOML at line 3"},
		{"servers on one line", "codex", "mcp_servers = { a = { command = \"b\" } }\n", "would make it invalid"},
		{"servers that are a number", "codex", "mcp_servers = 3\n", "would make it invalid"},
		{"a dotted key that has to change", "codex", "[mcp_servers]\nmcp-editord.command = 'mcp-editord'\nmcp-editord.args = ['mcp', '--lazy']\n", "would touch more than the entry"},
		{"another server in TOML", "codex", "[mcp_servers.mcp-editord]\nurl = \"http://x\"\n", "another server"},
		{"many brackets in TOML", "codex", "a = " + many, "not valid TOML at line 1"},
		{"an entry on one line that has to change", "codex", "[mcp_servers]\nmcp-editord = { command = 'mcp-editord', args = ['mcp', '--lazy'] }\n", "not written as a table of its own"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made, err := agent(t, test.agent).connected([]byte(test.before), ours, false)
			if err == nil {
				t.Fatalf("it made\n%s", made.content)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows what the file says: %q", err)
			}
		})
	}
}

// With replace, our entry takes the place of another; the change does not show what was there.
// Taking it out brings the other back.
func TestReplace(t *testing.T) {
	t.Parallel()
	tests := []struct{ agent, before string }{
		{"claude", "{\n  \"mcpServers\": {\n    \"mcp-editord\": { \"url\": \"x\", \"headers\": {\"A\": \"secret\"} },\n    \"b\": {}\n  }\n}\n"},
		{"claude", `{"mcpServers":{"mcp-editord":{"command":"x","env":{"A":"secret"}}}}`},
		{"codex", "[mcp_servers.mcp-editord]\nurl = \"x\"\n\n[mcp_servers.mcp-editord.http_headers]\nA = \"secret\"\n\n[b]\n"},
	}
	for _, test := range tests {
		a := agent(t, test.agent)
		made, err := a.connected([]byte(test.before), ours, true)
		if err != nil {
			t.Fatal(err)
		}
		if !a.connects(made.content) || bytes.Contains(made.content, []byte("secret")) {
			t.Errorf("it is not in its place:\n%s", made.content)
		}
		if len(made.changes) != 1 || strings.Contains(strings.Join(append(made.changes[0].Removed, made.changes[0].Added...), "\n"), "secret") {
			t.Errorf("the change shows %q", made.changes)
		}
		gone, err := a.disconnected(made.content, func() [][]byte { return [][]byte{[]byte(test.before)} })
		if err != nil || string(gone.content) != test.before {
			t.Errorf("disconnected it is\n%s, %v; want\n%s", gone.content, err, test.before)
		}
	}
}

// What people added to our entry is not shown when it goes. What an agent wrote behind our table stays, without
// the empty line between them.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ agent, before, want string }{
		{
			"claude", `{"mcpServers":{"x":{"command":"/a/mcp-editord","args":["mcp"],"env":{"A":"secret"}},"y":{"command":"b","env":{"B":"secret"}}}}`,
			`{"mcpServers":{"y":{"command":"b","env":{"B":"secret"}}}}`,
		},
		{
			"codex", "[mcp_servers.mcp-editord]\ncommand = \"mcp-editord\"\nargs = [\"mcp\"]\n\n[mcp_servers.other]\ncommand = \"b\"\n",
			"[mcp_servers.other]\ncommand = \"b\"\n",
		},
	} {
		gone, err := agent(t, test.agent).disconnected([]byte(test.before), func() [][]byte { return nil })
		if err != nil || string(gone.content) != test.want {
			t.Errorf("it is %q, %v; want %q", gone.content, err, test.want)
		}
		if len(gone.changes) != 1 || strings.Contains(strings.Join(gone.changes[0].Removed, "\n"), "secret") {
			t.Errorf("the change shows %q", gone.changes)
		}
	}
}

// What is shown of an entry that changes is what changes of it.
func TestChange(t *testing.T) {
	t.Parallel()
	before := `{"mcpServers": {"mcp-editord": {"command": "/usr/bin/mcp-editord", "args": ["mcp", "--lazy"], "env": {"A": "b"}}}}`
	made, err := agent(t, "cursor").connected([]byte(before), ours, false)
	want := Change{"mcpServers.mcp-editord", []string{`args: ["mcp", "--lazy"]`}, []string{`args: ["mcp"]`}}
	if err != nil || len(made.changes) != 1 || !reflect.DeepEqual(made.changes[0], want) {
		t.Errorf("the changes are %q, %v; want %q", made.changes, err, want)
	}
}

// Connecting never harms a file, whatever is in it; disconnecting takes out what connecting entered.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"mcpServers":{"a":1,}}`, "{// x\n\"mcpServers\": {} /* y */ , }\n//z", "{\"a\":[1,\n2]\r\n}", `{"mcpServers":{"mcp-editord":{"command":"mcp-editord","args":["mcp","x"]}}}`} {
		f.Add([]byte(seed))
	}
	a := Agents()[1]
	f.Fuzz(func(t *testing.T, before []byte) { harmless(t, a, before) })
}

func FuzzTOML(f *testing.F) {
	for _, seed := range []string{"", "a=1", "[mcp_servers]\na.command='b'\n", "[mcp_servers.x]\r\n# y\r\n[[z]]\r\n", "[mcp_servers.mcp-editord]\ncommand=\"mcp-editord\"\nargs=[\"mcp\",\n\"x\"]\n[b]"} {
		f.Add([]byte(seed))
	}
	a := Agents()[3]
	f.Fuzz(func(t *testing.T, before []byte) { harmless(t, a, before) })
}

func harmless(t *testing.T, a Agent, before []byte) {
	made, err := a.connected(before, ours, false)
	if err != nil {
		return // connected has compared what it made
	}
	again, err := a.connected(made.content, ours, false)
	if err != nil || len(again.changes) > 0 {
		t.Fatalf("a second time changes %v, %v in\n%q", again.changes, err, made.content)
	}
	gone, err := a.disconnected(made.content, func() [][]byte { return [][]byte{before} })
	if err == nil && a.connects(gone.content) {
		t.Fatalf("it still has the entry:\n%q", gone.content)
	}
	if err == nil && !a.connects(before) && !bytes.Equal(gone.content, before) {
		t.Fatalf("it is %q, want %q", gone.content, before)
	}
	alone, err := a.disconnected(made.content, func() [][]byte { return [][]byte{nil, before} })
	if err == nil && a.connects(alone.content) {
		t.Fatalf("it still has the entry:\n%q", alone.content)
	}
}
