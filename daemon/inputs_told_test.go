//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Who starts a server and cannot be asked for its input hears which editor is.
func TestWhoCannotGiveAnInputHearsWhereItIsAsked(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	servers := fakeDefinition(t, strings.TrimPrefix(fakeserver.Script{Plain: true}.Environ(), fakeserver.Env+"="))
	servers = rawjson.SetPath(servers, []byte(`"${input:token}"`), "fake", "env", "TOKEN")
	file := rawjson.Set(json.RawMessage(`{"inputs":[{"id":"token","type":"promptString","description":"The token"}]}`), "servers", servers)
	if err := os.WriteFile(d.opts.Paths.Config, file, 0o600); err != nil {
		t.Fatal(err)
	}
	attach := func(s *screen, name string, caps editorapi.Capabilities) editorapi.Attachment {
		return attachWith(t, d, s, editorapi.AttachParams{
			ClientName: name, Folders: []editorapi.Folder{{URI: fileuri.FromPath(folder)}}, DynamicCommands: true, Capabilities: caps,
		})
	}
	able, unable := newScreen(), newScreen()
	able.answer = func(context.Context, string, editorapi.Question) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"accept","content":{"value":"typed"}}`), nil
	}
	attach(able, "Neovim", editorapi.Capabilities{MCP: true, Elicitation: json.RawMessage(`{"form":{}}`)})
	if _, err := attach(unable, "mcp-editord", editorapi.Capabilities{MCP: true}).StartServer("fake")(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = `server "fake" asks: The token (it waits until you answer in Neovim)`
	unable.mu.Lock()
	defer unable.mu.Unlock()
	if len(unable.said) != 1 || unable.said[0] != want {
		t.Errorf("it hears %q, want %q", unable.said, want)
	}
}
