//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A start that was under way when an editor came that can be asked, and that has failed because nobody could
// be asked before, is begun again for that editor.
func TestInputOfAStartThatNobodyCouldAnswer(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	servers := fakeDefinition(t, strings.TrimPrefix(fakeserver.Script{Plain: true}.Environ(), fakeserver.Env+"="))
	servers = rawjson.SetPath(servers, []byte(`"${input:token}"`), "fake", "env", "TOKEN")
	file := rawjson.Set(json.RawMessage(`{"inputs":[{"id":"token","type":"promptString","description":"The token"}]}`), "servers", servers)
	if err := os.WriteFile(d.opts.Paths.Config, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for len(d.store.User().Servers) == 0 {
		runtime.Gosched()
	}
	attach := func(s *screen, caps editorapi.Capabilities, autoStart bool) *editor {
		return attachWith(t, d, s, editorapi.AttachParams{
			Folders: []editorapi.Folder{{URI: fileuri.FromPath(folder)}}, AutoStart: autoStart, DynamicCommands: true, Capabilities: caps,
		}).(*editor)
	}
	unable := newScreen()
	attach(unable, editorapi.Capabilities{}, true)
	unable.await(t, "failed")
	able := newScreen()
	able.answer = func(context.Context, string, editorapi.Question) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"accept","content":{"value":"typed"}}`), nil
	}
	e := attach(able, editorapi.Capabilities{MCP: true, Elicitation: json.RawMessage(`{"form":{}}`)}, false)
	over := make(chan struct{})
	close(over)
	d.startForAnswer(e.connection("fake"), e, over)
	able.await(t, "ready")
}

// An editor that cannot ask for an input says so, and the next one in the same folder is asked.
func TestInputIsAskedForInTheNextEditorThatCan(t *testing.T) {
	d, folder := newTestDaemon(t, 0)
	servers := fakeDefinition(t, strings.TrimPrefix(fakeserver.Script{Plain: true}.Environ(), fakeserver.Env+"="))
	servers = rawjson.SetPath(servers, []byte(`"${input:token}"`), "fake", "env", "TOKEN")
	file := rawjson.Set(json.RawMessage(`{"inputs":[{"id":"token","type":"promptString","password":true}]}`), "servers", servers)
	if err := os.WriteFile(d.opts.Paths.Config, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for len(d.store.User().Servers) == 0 {
		runtime.Gosched()
	}
	attach := func(autoStart bool, answer func() (json.RawMessage, error)) *screen {
		s := newScreen()
		s.answer = func(context.Context, string, editorapi.Question) (json.RawMessage, error) { return answer() }
		attachWith(t, d, s, editorapi.AttachParams{
			Folders: []editorapi.Folder{{URI: fileuri.FromPath(folder)}}, AutoStart: autoStart, DynamicCommands: true,
			Capabilities: editorapi.Capabilities{Elicitation: json.RawMessage(`{"form":{}}`)},
		})
		return s
	}
	attach(false, func() (json.RawMessage, error) {
		return json.RawMessage(`{"action":"accept","content":{"value":"typed"}}`), nil
	})
	starts := attach(true, func() (json.RawMessage, error) {
		return nil, &editorapi.RPCError{Code: editorapi.CodeMethodNotFound, Message: "not a password"}
	})
	starts.await(t, "ready")
}
