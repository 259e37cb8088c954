//go:build linux || darwin

package daemon

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// A project's servers replace the built-in one when somebody allows one of them, and for as long as it is
// allowed: for all editors and agents in the folder, but not where the editor's own client runs them.
func TestBuiltinUntilAllowed(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, filepath.Join(folder, ".mcp.json"), "a", "b")
	params := editorapi.AttachParams{Folders: []editorapi.Folder{{URI: fileuri.FromPath(folder)}}, AutoStart: true, DynamicCommands: true}
	screens := map[string]*screen{"an editor": newScreen(), "another editor": newScreen(), "an agent": newScreen()}
	editor := attachWith(t, d, screens["an editor"], params)
	attachWith(t, d, screens["another editor"], params)
	agents := params
	agents.Agent = &editorapi.Agent{Name: "Agent"}
	agent := attachWith(t, d, screens["an agent"], agents)
	owns := params
	owns.OwnClient = &editorapi.OwnClient{Name: "Some Editor", Files: []string{".mcp.json"}}
	apart := attachWith(t, d, newScreen(), owns)

	// everywhere waits until this is the last that all have been told of the built-in server.
	everywhere := func(news string) {
		t.Helper()
		for name, s := range screens {
			s.until(t, name+": "+news, func() bool {
				of := slices.DeleteFunc(slices.Clone(s.news), func(n string) bool { return !strings.HasPrefix(n, "workspace ") })
				return len(of) > 0 && of[len(of)-1] == "workspace "+news
			})
		}
	}
	names := func(a editorapi.Attachment) string {
		var names []string
		for _, server := range a.Servers() {
			names = append(names, server.Name)
		}
		return strings.Join(names, " ")
	}
	digest := func(name string) string {
		servers := editor.Servers()
		i := slices.IndexFunc(servers, func(s editorapi.Server) bool { return s.Name == name })
		if i < 0 {
			t.Fatalf("there is no %q", name)
		}
		return servers[i].Digest
	}
	decide := func(name string, decision editorapi.Decision) {
		t.Helper()
		if _, err := editor.ApproveServer(t.Context(), name, digest(name), decision); err != nil {
			t.Fatal(err)
		}
	}

	everywhere("ready")
	decide("a", editorapi.DecisionDeny)
	for name, a := range map[string]editorapi.Attachment{"an editor": editor, "an agent": agent} {
		if got := names(a); got != "workspace a b" {
			t.Errorf("with one denied and one waiting, %s has %s", name, got)
		}
	}

	decide("b", editorapi.DecisionAllow)
	everywhere("removed")
	if catalogs, err := agent.Catalog(t.Context(), editorapi.CatalogParams{Known: true}); err != nil ||
		slices.ContainsFunc(catalogs, func(c editorapi.ServerCatalog) bool { return c.Server.Server.Name == "workspace" }) {
		t.Errorf("the agent's catalog is %+v, %v", catalogs, err)
	}
	if got := names(apart); got != "workspace a b" {
		t.Errorf("an editor whose own client runs them has %s", got)
	}

	if err := editor.RevokeApproval(digest("b")); err != nil {
		t.Fatal(err)
	}
	everywhere("ready")
	if catalogs, err := agent.Catalog(t.Context(), editorapi.CatalogParams{Server: "workspace", Known: true}); err != nil || len(catalogs) != 1 || catalogs[0].Offer == nil {
		t.Errorf("the agent's catalog is %+v, %v", catalogs, err)
	}
}
