//go:build linux || darwin

package e2e

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// The clients of MCP's TypeScript SDK: of its first generation, and of its second in both eras.
var typescriptClients = []string{"v1", "v2", "v2-auto", "v2-modern"}

// An agent with MCP's TypeScript SDK can do with all servers, or with --server, what it can with a server itself.
func TestAgentWithTypeScript(t *testing.T) {
	t.Parallel()
	modules := filepath.Dir(filepath.Dir(installed(t, "MCP's TypeScript SDK", "@modelcontextprotocol", "sdk")))
	program, err := filepath.Abs(filepath.Join("clients", "typescript.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	forms := []struct {
		name             string
		args             []string
		everything, fake *string // what the names of the tools begin with; nil where the server is not there
	}{
		{"all servers", nil, new("everything__"), new("fake__")},
		{"server-everything alone", []string{"--server", "everything"}, new(""), nil},
		{"the fake server alone", []string{"--server", "fake"}, nil, new("")},
	}
	for _, kind := range typescriptClients {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			w.config(servers{
				"everything": npmServer(t, "server-everything"),
				"fake": w.fakeServer("fake", fakeserver.Script{
					Plain:     true, // the SDK refuses content of a type that it does not know
					Resources: []json.RawMessage{json.RawMessage(`{"uri":"fake://one","name":"one"}`)},
				}),
			}.String())
			folders := []string{w.folder("first"), w.folder("second")}
			for _, form := range forms {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				options := object{"kind": kind, "modules": modules, "everything": form.everything, "fake": form.fake, "folders": folders, "record": w.recordFile("fake")}
				cmd := exec.CommandContext(ctx, "node", append([]string{program, marshal(options), daemonBinary, "mcp"}, form.args...)...)
				cmd.Env, cmd.Dir = w.env(), folders[0]
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("with %s: %v\n%s", form.name, err, out)
				}
			}
		})
	}
}
