//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// A folder that somebody trusts in an editor is trusted for an agent in it, as long as that editor has
// it open.
func TestAgentInheritsTrust(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	entering := json.RawMessage(`{"enters":{"command":"./x"}}`)
	yes := true
	attach := func(agent *editorapi.Agent, trusted *bool, folder string) (editorapi.Attachment, *screen) {
		s := newScreen()
		return attachWith(t, d, s, editorapi.AttachParams{
			Folders: []editorapi.Folder{{URI: fileuri.FromPath(folder)}}, Servers: entering, Agent: agent, Trusted: trusted, DynamicCommands: true,
			Capabilities: editorapi.Capabilities{MCP: true},
		}), s
	}
	agent, s := attach(&editorapi.Agent{Name: "Codex"}, &yes, folder)
	last := func(state string) func() bool {
		return func() bool {
			i := slices.IndexFunc(s.servers, func(v editorapi.Server) bool { return v.Name == "enters" })
			for j, v := range s.servers {
				if v.Name == "enters" {
					i = j
				}
			}
			return i >= 0 && string(s.servers[i].State) == state
		}
	}
	s.until(t, "an agent trusts nothing itself", last("needsApproval"))
	attach(nil, &yes, t.TempDir())
	attach(nil, nil, folder)
	attach(&editorapi.Agent{Name: "another"}, &yes, folder)
	<-agent.(*editor).reconciling.Again()
	if got := agent.Servers(); !slices.ContainsFunc(got, func(v editorapi.Server) bool {
		return v.Name == "enters" && v.State == editorapi.ServerNeedsApproval
	}) {
		t.Errorf("the agent inherits from those who do not trust the folder: %+v", got)
	}
	editor, _ := attach(nil, &yes, folder)
	s.until(t, "the agent inherits trust", last("stopped"))
	editor.ChangeFolders([]editorapi.Folder{{URI: fileuri.FromPath(t.TempDir())}})
	s.until(t, "the editor has another folder", last("needsApproval"))
	editor.ChangeFolders([]editorapi.Folder{{URI: fileuri.FromPath(folder)}})
	s.until(t, "the editor is back", last("stopped"))
	editor.Close()
	s.until(t, "the editor has gone", last("needsApproval"))
}

// An agent that did not choose its folders gets those of the editor that has its place open.
func TestAgentWithin(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	second, own := t.TempDir(), t.TempDir()
	attach := func(agent *editorapi.Agent, folders ...string) *editor {
		p := editorapi.AttachParams{Agent: agent, DynamicCommands: true, Capabilities: editorapi.Capabilities{MCP: true}}
		for _, f := range folders {
			p.Folders = append(p.Folders, editorapi.Folder{URI: fileuri.FromPath(f)})
		}
		return attachWith(t, d, newScreen(), p).(*editor)
	}
	within := func(path string) *editorapi.Agent { return &editorapi.Agent{Name: "Codex", Within: path} }
	check := func(what string, e *editor, want ...string) {
		t.Helper()
		if !slices.Equal(e.named, want) {
			t.Errorf("%s: the folders are %s, want %s", what, strings.Join(e.named, " "), strings.Join(want, " "))
		}
	}
	place := filepath.Join(folder, "deep", "inside")
	check("without an editor", attach(within(place), own), own)
	check("beside another agent", attach(within(filepath.Join(own, "x")), second), second)
	wide := attach(nil, folder, second)
	narrow := attach(nil, folder)
	check("the editor used last", attach(within(place), own), folder)
	wide.Used()
	check("now another was used last", attach(within(place), own), folder, second)
	narrow.Used()
	check("a folder that begins alike", attach(within(folder+"x"), own), own)
	check("folders of its own choosing", attach(&editorapi.Agent{Name: "Codex"}, own), own)
}
