//go:build linux || darwin

package daemon

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// An attach reads the decisions once: one made between initialize and initialized does not count
// until somebody announces it.
func TestAttachReadsOnce(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	define(t, filepath.Join(folder, ".mcp.json"), "a")
	a, err := d.Attach(t.Context(), newScreen(), editorapi.AttachParams{Folders: []editorapi.Folder{{URI: fileuri.FromPath(folder)}}, AutoStart: true, DynamicCommands: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	e := a.(*editor)
	elsewhere, err := config.OpenApprovals(d.opts.Paths.ApprovalsFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := elsewhere.Decide(e.set.Servers[0], config.Deny); err != nil {
		t.Fatal(err)
	}
	a.Initialized()
	decision := func() config.Decision {
		d.mu.Lock()
		defer d.mu.Unlock()
		return e.decided[e.set.Servers[0].Asks]
	}
	if got := decision(); got != "" {
		t.Errorf("the attach read the decisions again: %q", got)
	}
	d.reconcileAll()
	e.reconciled(t.Context())
	if got := decision(); got != config.Deny {
		t.Errorf("the announced decision was not read: %q", got)
	}
}
