package agentconfig

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTwice(t *testing.T) {
	u := newUser(t, `{"mcpServers": {
		"mcp-editord": {"command": "/usr/bin/mcp-editord", "args": ["mcp"]},
		"files": {"command": "npx", "args": ["-y", "files"], "env": {"A": "b"}},
		"more": {"command": "npx", "args": ["-y", "more"]},
		"web": {"url": "https://example.com/mcp"},
		"none": {}
	}}`)
	file := filepath.Join(u.home, "mcp.json")
	defined := `{"servers": {
		"fs": {"command": "npx", "args": ["-y", "files"]}, // the same, under another name
		"more": {"command": "npx", "args": ["-y", "less"]},
		"web": {"type": "http", "url": "https://example.com/mcp"},
		"off": {"command": "npx", "args": ["-y", "more"]},
		"none": {}, // in neither is there anything to compare
	}}`
	if err := os.WriteFile(file, []byte(defined), 0o600); err != nil {
		t.Fatal(err)
	}
	a := agent(t, "cursor")
	if !a.Others(u.env) {
		t.Error("the agent has no other servers")
	}
	got := a.Twice(u.env, []Shared{{"fs", file}, {"more", file}, {"web", file}, {"none", file}, {"gone", filepath.Join(u.home, "no.json")}})
	if want := []Twice{{"mcpServers.files", "fs"}, {"mcpServers.web", "web"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
