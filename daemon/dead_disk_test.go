//go:build linux || darwin

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/deaddisk"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Fault disk-hangs: a project whose programs are looked up on a dead mount holds nobody up. What its
// commands lead to stays unknown, and the user's own server runs.
func TestPromise4CommandOnADeadMount(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	dead := filepath.Join(t.TempDir(), "dead")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	deaddisk.Mount(t, dead)
	file := fmt.Sprintf(`{"mcpServers":{"a":{"command":"x","env":{"PATH":%q}},"b":{"command":"y","env":{"PATH":%q}}}}`, dead, dead)
	writeFile(t, filepath.Join(folder, ".mcp.json"), file)
	a, s := attachEditor(t, d, folder)
	s.await(t, "needsApproval")
	s.await(t, "ready")
	for _, server := range a.Servers() {
		if server.Approval != nil && server.Approval.Definition.Program != "" {
			t.Errorf("%s leads to %s", server.Name, server.Approval.Definition.Program)
		}
	}
	d.close()
}

// Fault disk-hangs: only the editor whose folder hangs waits, and not for ever. Others attach, call,
// and get reloads. The editor can change its folders and leave, and the daemon ends.
func TestPromise4FolderThatHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as a disk may take, twice")
	}
	d, folder := newTestDaemon(t, time.Hour)
	dead := filepath.Join(t.TempDir(), "dead")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	deaddisk.Mount(t, dead)

	attached := make(chan editorapi.Attachment, 1)
	own := newScreen()
	go func() {
		attached <- attachScreen(t, d, dead, own, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
	}()
	d.await(t, "the editor of the dead disk", func() bool { return len(d.editors) == 1 })
	other, s := attachEditor(t, d, folder)
	select {
	case <-attached:
		t.Error("the editor of the dead disk did not wait, which shows nothing")
	default:
	}
	s.await(t, "ready")
	if _, err := call(t.Context(), other, "tools/list", `{}`); err != nil {
		t.Errorf("a call of another editor: %v", err)
	}
	define(t, filepath.Join(folder, ".mcp.json"), "new")
	s.awaitNews(t, "new needsApproval")

	hung := <-attached
	if names := hung.Servers(); len(names) != 1 {
		t.Errorf("the editor of the dead disk has %+v", names)
	}
	hung.ChangeFolders(opened(folder, dead))
	if names := hung.Servers(); len(names) != 2 {
		t.Errorf("with another folder the editor of the dead disk has %+v", names)
	}
	hung.Close()
	if _, err := call(t.Context(), other, "tools/list", `{}`); err != nil {
		t.Errorf("a call of another editor, afterwards: %v", err)
	}
	// The daemon ends after the unmounting; the cleanup waits for it.
	d.close()
}

// Fault disk-hangs: your own file on a dead mount holds nobody up for long.
func TestPromise4UsersFileOnADeadMount(t *testing.T) {
	dead, folder := t.TempDir(), t.TempDir()
	p := tempPaths(t)
	p.Config = filepath.Join(dead, "mcp.json")
	d := startDaemon(t, p, nothingLeft)
	deaddisk.Mount(t, dead)
	_, s := attachEditor(t, d, folder)
	s.await(t, "ready")
	d.close()
}
