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
			Folders: opened(folder), Servers: entering, Agent: agent, Trusted: trusted, DynamicCommands: true,
			Capabilities: editorapi.Capabilities{MCP: true},
		}), s
	}
	agent, s := attach(&editorapi.Agent{Name: "Codex"}, &yes, folder)
	s.awaitLast(t, "enters needsApproval") // an agent trusts nothing itself
	attach(nil, &yes, t.TempDir())
	attach(nil, nil, folder)
	attach(&editorapi.Agent{Name: "another"}, &yes, folder)
	<-agent.(*editor).reconciling.Again()
	if got := serverOf(t, agent, "enters"); got.State != editorapi.ServerNeedsApproval {
		t.Errorf("the agent inherits from those who do not trust the folder: %+v", got)
	}
	editor, _ := attach(nil, &yes, folder)
	s.awaitLast(t, "enters stopped")
	editor.ChangeFolders(opened(t.TempDir()))
	s.awaitLast(t, "enters needsApproval")
	editor.ChangeFolders(opened(folder))
	s.awaitLast(t, "enters stopped")
	editor.Close()
	s.awaitLast(t, "enters needsApproval")
}

// An agent that did not choose its folders gets those of the editor that has its place open.
func TestAgentWithin(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	second, own := t.TempDir(), t.TempDir()
	attach := func(agent *editorapi.Agent, folders ...string) *editor {
		p := editorapi.AttachParams{Folders: opened(folders...), Agent: agent, DynamicCommands: true, Capabilities: editorapi.Capabilities{MCP: true}}
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
