//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// allCapabilities is an editor that can answer whatever a server asks.
const allCapabilities = `{"experimental":{"mcp":{"sampling":{},"elicitation":{"form":{}},"approval":{}}}}`

// mcpCapabilities is an editor that knows MCP and can answer nothing.
const mcpCapabilities = `{"experimental":{"mcp":{}}}`

// in returns the options of an editor with these folders and capabilities.
func in(capabilities string, folders ...string) fakeeditor.Options {
	return fakeeditor.Options{Capabilities: json.RawMessage(capabilities), Folders: uris(folders...)}
}

// uris returns the URIs of paths.
func uris(paths ...string) []string {
	out := []string{}
	for _, p := range paths {
		out = append(out, fileuri.FromPath(p))
	}
	return out
}

// servers is an mcp.json: the definition of each server by its name.
type servers map[string]any

func (s servers) String() string { return marshal(map[string]any{"servers": s}) }

// marshal returns v as JSON. It is for values that are known to have one.
func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// unmarshal reads JSON that must fit v.
func unmarshal(t testing.TB, raw []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("reading %s: %v", raw, err)
	}
}

// npmServer returns the definition of a real server that npm has installed.
func npmServer(t testing.TB, name string, args ...string) map[string]any {
	t.Helper()
	script := installed(t, "the real server "+name, "@modelcontextprotocol", name, "dist", "index.js")
	return map[string]any{"command": "node", "args": append([]string{script}, args...)}
}

// installed returns the path of a file that npm has installed.
func installed(t testing.TB, what string, path ...string) string {
	t.Helper()
	modules := os.Getenv("MCP_EDITORD_TEST_SERVERS")
	if modules == "" {
		modules = filepath.Join("..", "..", ".tools", "servers", "node_modules")
	}
	file, err := filepath.Abs(filepath.Join(modules, filepath.Join(path...)))
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil && testing.Short() {
		t.Skipf("%s is not installed", what)
	}
	if err != nil {
		t.Fatalf("%s is not installed (%v); run make test, which installs it, or leave it out with -short", what, err)
	}
	return file
}

// awaitServer returns the first view of the server that the editor was shown,
// before or from now on, for which holds is true. It is in vain once the server has failed, unless
// that is what is waited for: nobody starts it then but the test.
func awaitServer(e *fakeeditor.Editor, name, what string, holds func(editorapi.Server) bool) (view editorapi.Server) {
	seen, last := 0, editorapi.Server{}
	e.Expect("server "+name+": "+what, func(conversation []fakeeditor.Message) (met bool, never string) {
		for ; seen < len(conversation); seen++ {
			if s, ok := shown(conversation[seen], name); ok {
				if last = s; holds(s) {
					view = s
					return true, ""
				}
			}
		}
		if last.State == "failed" {
			return false, "it has failed: " + marshal(last.Error)
		}
		return false, ""
	})
	return view
}

// shown returns the view of a server in a message, if that is what the message is.
func shown(m fakeeditor.Message, name string) (s editorapi.Server, ok bool) {
	ok = m.Method == "editord/serverChanged" && json.Unmarshal(m.Params, &s) == nil && s.Name == name
	return s, ok
}

// awaitReady returns the first view of the server in which it was ready.
func awaitReady(e *fakeeditor.Editor, name string) editorapi.Server {
	return awaitServer(e, name, "ready", func(s editorapi.Server) bool { return s.State == "ready" })
}

// request sends a request that must succeed, and reads its result into result
// unless that is nil.
func request(e *fakeeditor.Editor, method string, params, result any) { e.Call(method, params, result) }

// status returns what the daemon says of itself to e.
func status(e *fakeeditor.Editor) (s editorapi.Status) {
	request(e, "editord/status", map[string]any{}, &s)
	return s
}

// server returns e's view of a server now.
func server(e *fakeeditor.Editor, name string) editorapi.Server {
	s, ok := find(e, name)
	if !ok {
		e.Fatalf("there is no server %s", name)
	}
	return s
}

// find returns e's view of a server now, if e has it.
func find(e *fakeeditor.Editor, name string) (s editorapi.Server, ok bool) {
	var result struct{ Servers []editorapi.Server }
	request(e, "editord/servers", map[string]any{}, &result)
	i := slices.IndexFunc(result.Servers, func(s editorapi.Server) bool { return s.Name == name })
	if i < 0 {
		return s, false
	}
	return result.Servers[i], true
}

// toolCall returns the params of mcp/tools/call.
func toolCall(server, tool string, arguments any) map[string]any {
	return map[string]any{"server": server, "params": map[string]any{"name": tool, "arguments": arguments}}
}

// toolResult is MCP's CallToolResult, as far as tests read it.
type toolResult struct {
	Content []struct{ Type, Text string }
	IsError bool
}

// text returns the texts of the result.
func (r toolResult) text() string {
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n")
}

// call calls a tool, which must answer, if only with an error of its own.
func call(e *fakeeditor.Editor, server, tool string, arguments any) (result toolResult) {
	request(e, "mcp/tools/call", toolCall(server, tool, arguments), &result)
	return result
}

// toolNames returns the names of the tools that a server offers e.
func toolNames(e *fakeeditor.Editor, server string) []string {
	var result struct{ Tools []struct{ Name string } }
	request(e, "mcp/tools/list", map[string]any{"server": server}, &result)
	names := []string{}
	for _, t := range result.Tools {
		names = append(names, t.Name)
	}
	return names
}

// rootsOf returns the URIs that a server is told.
func rootsOf(e *fakeeditor.Editor, server string) []string {
	var result struct{ Roots []struct{ URI string } }
	request(e, "mcp/roots/list", map[string]any{"server": server}, &result)
	list := []string{}
	for _, r := range result.Roots {
		list = append(list, r.URI)
	}
	return list
}

// changeFolders tells the daemon that the editor has other folders.
func changeFolders(e *fakeeditor.Editor, added, removed []string) {
	list := func(paths []string) []map[string]string {
		out := []map[string]string{}
		for _, p := range paths {
			out = append(out, map[string]string{"uri": fileuri.FromPath(p), "name": filepath.Base(p)})
		}
		return out
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{
		"event": map[string]any{"added": list(added), "removed": list(removed)},
	})
}
