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
	many := strings.Repeat("[", 250_000)
	tests := []struct {
		name, agent, before, want string
	}{
		{"not JSON", "claude", "{\n  \"a\": tok-secret\n}", "not valid JSON at line 2"},
		{"cut off", "claude", "{\n  \"mcpServers\": {", "not valid JSON at line 2"},
		{"a list", "claude", "[]", "not a JSON object"},
		{"only a comment", "zed", "// nothing\n", "not valid JSON"},
		{"servers that are a list", "claude", "{\n \"mcpServers\": []}", `"mcpServers" is not an object`},
		{"servers that are nothing", "claude", `{"mcpServers": null}`, `"mcpServers" is not an object`},
		{"servers twice", "claude", "{\"mcpServers\": {},\n\"mcpServers\": {}}", `the name "mcpServers" is there twice`},
		{"the name twice", "claude", `{"mcpServers": {"mcp-editord": {}, "mcp-editord": {}}}`, `"mcp-editord" is there twice`},
		{"the name is another server", "claude", `{"mcpServers": {"mcp-editord": {"command": "other", "args": ["mcp"]}}}`, "another server; take it out, or add --replace"},
		{"the name is no server", "claude", `{"mcpServers": {"mcp-editord": "x"}}`, "another server"},
		{"many brackets", "claude", `{"a":` + many, "brackets"},
		{"a byte order mark", "claude", "\ufeff{}", "not valid JSON at line 1"},
		{"UTF-16", "claude", "\xff\xfe{\x00}\x00", "not valid JSON"},
		{"not TOML", "codex", "a = 1\nb = tok-secret\n", "not valid TOML at line 2"},
		{"a table twice", "codex", "[a]\n[b]\n[a]\n", "not valid TOML at line 3"},
		{"servers on one line", "codex", "mcp_servers = { a = { command = \"b\" } }\n", "would make it invalid"},
		{"servers that are a number", "codex", "mcp_servers = 3\n", "is not an object"},
		{"a dotted key that has to change", "codex", "[mcp_servers]\nmcp-editord.command = 'mcp-editord'\nmcp-editord.args = ['mcp', '--lazy']\n", "would touch more than the entry"},
		{"another server in TOML", "codex", "[mcp_servers.mcp-editord]\nurl = \"http://x\"\n", "another server"},
		{"many brackets in TOML", "codex", "a = " + many, "not valid TOML at line 1"},
		{"an entry on one line that has to change", "codex", "[mcp_servers]\nmcp-editord = { command = 'mcp-editord', args = ['mcp', '--lazy'] }\n", "not written as a table of its own"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made, _, err := agent(t, test.agent).connected([]byte(test.before), mine, false)
			if err == nil {
				t.Fatalf("it made\n%s", made)
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
		made, changes, err := a.connected([]byte(test.before), mine, true)
		if err != nil {
			t.Fatal(err)
		}
		if !a.connects(made) || bytes.Contains(made, []byte("secret")) {
			t.Errorf("it is not in its place:\n%s", made)
		}
		if len(changes) != 1 || strings.Contains(strings.Join(append(changes[0].Removed, changes[0].Added...), "\n"), "secret") {
			t.Errorf("the change shows %q", changes)
		}
		gone, _, err := a.disconnected(made, [][]byte{[]byte(test.before)})
		if err != nil || string(gone) != test.before {
			t.Errorf("disconnected it is\n%s, %v; want\n%s", gone, err, test.before)
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
		gone, changes, err := agent(t, test.agent).disconnected([]byte(test.before), nil)
		if err != nil || string(gone) != test.want {
			t.Errorf("it is %q, %v; want %q", gone, err, test.want)
		}
		if len(changes) != 1 || strings.Contains(strings.Join(changes[0].Removed, "\n"), "secret") {
			t.Errorf("the change shows %q", changes)
		}
	}
}

// What is shown of an entry that changes is what changes of it.
func TestChange(t *testing.T) {
	t.Parallel()
	before := `{"mcpServers": {"mcp-editord": {"command": "/usr/bin/mcp-editord", "args": ["mcp", "--lazy"], "env": {"A": "b"}}}}`
	_, changes, err := agent(t, "cursor").connected([]byte(before), mine, false)
	want := Change{"mcpServers.mcp-editord", []string{`args: ["mcp", "--lazy"]`}, []string{`args: ["mcp"]`}}
	if err != nil || len(changes) != 1 || !reflect.DeepEqual(changes[0], want) {
		t.Errorf("the changes are %q, %v; want %q", changes, err, want)
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
	made, _, err := a.connected(before, mine, false)
	if err != nil {
		return // connected has compared what it made
	}
	_, changes, err := a.connected(made, mine, false)
	if err != nil || len(changes) > 0 {
		t.Fatalf("a second time changes %v, %v in\n%q", changes, err, made)
	}
	gone, _, err := a.disconnected(made, [][]byte{before})
	if err == nil && a.connects(gone) {
		t.Fatalf("it still has the entry:\n%q", gone)
	}
	if err == nil && !a.connects(before) && !bytes.Equal(gone, before) {
		t.Fatalf("it is %q, want %q", gone, before)
	}
	alone, _, err := a.disconnected(made, nil)
	if err == nil && a.connects(alone) {
		t.Fatalf("it still has the entry:\n%q", alone)
	}
}
