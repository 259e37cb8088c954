//go:build linux || darwin

package daemon

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// A project's servers replace the built-in one when somebody allows one of them, and for as long as it is
// allowed: for all editors and agents in the folder, but not where the editor's own client runs them.
func TestBuiltinUntilAllowed(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, filepath.Join(folder, ".mcp.json"), "a", "b")
	params := editorapi.AttachParams{Folders: opened(folder), AutoStart: true, DynamicCommands: true}
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
		for _, s := range screens {
			s.awaitLast(t, "workspace "+news)
		}
	}
	decide := func(name string, decision editorapi.Decision) {
		t.Helper()
		if _, err := editor.ApproveServer(t.Context(), name, serverOf(t, editor, name).Digest, decision); err != nil {
			t.Fatal(err)
		}
	}

	everywhere("ready")
	decide("a", editorapi.DecisionDeny)
	for name, a := range map[string]editorapi.Attachment{"an editor": editor, "an agent": agent} {
		if got := namesOf(a); got != "workspace a b" {
			t.Errorf("with one denied and one waiting, %s has %s", name, got)
		}
	}

	decide("b", editorapi.DecisionAllow)
	everywhere("removed")
	if catalogs, err := agent.Catalog(t.Context(), editorapi.CatalogParams{Known: true}); err != nil ||
		slices.ContainsFunc(catalogs, func(c editorapi.ServerCatalog) bool { return c.Server.Name == "workspace" }) {
		t.Errorf("the agent's catalog is %+v, %v", catalogs, err)
	}
	if got := namesOf(apart); got != "workspace a b" {
		t.Errorf("an editor whose own client runs them has %s", got)
	}

	if err := editor.RevokeApproval(serverOf(t, editor, "b").Digest); err != nil {
		t.Fatal(err)
	}
	everywhere("ready")
	if catalogs, err := agent.Catalog(t.Context(), editorapi.CatalogParams{Server: "workspace", Known: true}); err != nil || len(catalogs) != 1 || catalogs[0].Offer == nil {
		t.Errorf("the agent's catalog is %+v, %v", catalogs, err)
	}
}
