//go:build linux || darwin

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// MCP's inspector lists and calls what agents get.
func TestAgentWithInspector(t *testing.T) {
	t.Parallel()
	inspector := installed(t, "MCP's inspector", ".bin", "mcp-inspector")
	w := newWorld(t)
	w.config(servers{"everything": npmServer(t, "server-everything")}.String())
	folder := w.folder("project")
	// The inspector passes on little of its own environment.
	env := map[string]string{}
	for _, entry := range w.env() {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	agents := filepath.Join(w.dir, "agents.json")
	w.write(agents, marshal(object{"mcpServers": object{
		"all":   object{"command": daemonBinary, "args": []string{"mcp"}, "env": env},
		"alone": object{"command": daemonBinary, "args": []string{"mcp", "--server", "everything"}, "env": env},
	}}))
	for form, prefix := range map[string]string{"all": "everything__", "alone": ""} {
		inspect := func(result any, args ...string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, "node", append([]string{inspector, "--cli", "--config", agents, "--server", form, "--method"}, args...)...)
			cmd.Env, cmd.Dir = w.env(), folder
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s %q: %v\n%s%s", form, args, err, out, errOut.String())
			}
			unmarshal(t, out, result)
		}
		var lists struct {
			Tools     []struct{ Name string }
			Prompts   []struct{ Name string }
			Resources []struct{ URI string }
		}
		inspect(&lists, "tools/list")
		inspect(&lists, "prompts/list")
		inspect(&lists, "resources/list")
		if !slices.Contains(lists.Tools, struct{ Name string }{prefix + "echo"}) {
			t.Errorf("%s: the tools are %v", form, lists.Tools)
		}
		if !slices.Contains(lists.Prompts, struct{ Name string }{prefix + "args-prompt"}) {
			t.Errorf("%s: the prompts are %v", form, lists.Prompts)
		}
		if len(lists.Resources) == 0 || !strings.HasPrefix(lists.Resources[0].URI, "demo://") {
			t.Errorf("%s: the resources are %v", form, lists.Resources)
		}
		var result toolResult
		inspect(&result, "tools/call", "--tool-name", prefix+"get-sum", "--tool-arg", "a=2", "b=3")
		if got := result.text(); !strings.Contains(got, "5") {
			t.Errorf("%s: the sum of 2 and 3 is %q", form, got)
		}
		var prompt struct{ Messages []json.RawMessage }
		inspect(&prompt, "prompts/get", "--prompt-name", prefix+"args-prompt", "--prompt-args", "city=Bern")
		if !strings.Contains(marshal(prompt), "Bern") {
			t.Errorf("%s: the prompt is %s", form, marshal(prompt))
		}
	}
}
