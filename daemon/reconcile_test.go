//go:build linux || darwin

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// Who attaches sees the files as they are then, though the watcher has not noticed them yet and others have read
// them before.
func TestAttachSeesWhatWasJustWritten(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	attachEditor(t, d, folder)
	define(t, d.opts.Paths.Config, "mine")
	define(t, filepath.Join(folder, ".mcp.json"), "theirs")
	a := attachWith(t, d, newScreen(), editorapi.AttachParams{Folders: opened(folder), DynamicCommands: true})
	if names := namesOf(a); names != "mine theirs" && names != "theirs mine" {
		t.Errorf("it has the servers %s", names)
	}
}

// The daemon neither starts nor asks about a server that the editor's own client runs, unless another
// file defines it too. Other editors are not affected.
func TestOwnClient(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, filepath.Join(folder, ".vscode", "mcp.json"), "theirs", "both")
	define(t, filepath.Join(folder, ".cursor", "mcp.json"), "both")
	params := editorapi.AttachParams{Folders: opened(folder), AutoStart: true, DynamicCommands: true}
	asked := func(s *screen) *[]string {
		var names []string
		s.decide = func(_ context.Context, p editorapi.ApproveParams) (editorapi.Decision, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			names = append(names, p.Server)
			s.tell()
			return editorapi.DecisionAllow, nil
		}
		return &names
	}

	other := newScreen()
	names := asked(other)
	attachWith(t, d, other, params)
	other.until(t, "it asks the other editor", func() bool { return slices.Contains(*names, "theirs") && slices.Contains(*names, "both") })

	params.OwnClient = &editorapi.OwnClient{Name: "Some Editor", Files: []string{".vscode/mcp.json"}}
	s := newScreen()
	names = asked(s)
	a := attachWith(t, d, s, params)
	s.until(t, "it asks about the one that it runs", func() bool { return slices.Contains(*names, "both") })
	servers := slices.DeleteFunc(a.Servers(), func(s editorapi.Server) bool { return s.Source == config.SourceBuiltin }) // until both is allowed
	if len(servers) != 2 || servers[0].Name != "theirs" || servers[0].RunBy != "Some Editor" || servers[0].State != editorapi.ServerDisabled ||
		!strings.HasSuffix(servers[0].Source, "/.vscode/mcp.json") || servers[0].Approval != nil {
		t.Errorf("servers are %+v", servers)
	}
	if both := servers[1]; both.RunBy != "" || !strings.HasSuffix(both.Source, "/.cursor/mcp.json") || len(both.Shadowed) != 1 || !strings.HasSuffix(both.Shadowed[0], "/.vscode/mcp.json") {
		t.Errorf("the one that both run is %+v", both)
	}
	_, err := a.Call(t.Context(), editorapi.Call{Server: "theirs", Method: "tools/call", Params: json.RawMessage(`{"name":"t"}`)})
	_, started := a.StartServer("theirs")(t.Context())
	for _, err := range []error{err, started} {
		failure, ok := errors.AsType[*editorapi.Error](err)
		if !ok || failure.Kind != editorapi.KindServerNotReady || failure.Detail != "disabled" || !strings.Contains(failure.Message, "run by Some Editor itself; call it there") {
			t.Errorf("it fails with %v", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(*names, "theirs") {
		t.Error("it was asked about")
	}
}
