//go:build linux || darwin

package daemon

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// Editors that are told the same of a server are told of one view, which is encoded once; nobody is
// told what he knows.
func TestViewsAreShared(t *testing.T) {
	d, folder, a, s := newReady(t)
	_, other := attachEditor(t, d, folder)
	other.await(t, "ready")
	views := func(of *screen) []*editorapi.View {
		of.mu.Lock()
		defer of.mu.Unlock()
		return of.views
	}
	told := views(s)
	if last := views(other); told[len(told)-1] != last[len(last)-1] {
		t.Error("two editors have two views of a server that is ready")
	}
	e := a.(*editor)
	c := e.connection("fake")
	c.StatusChanged(c.client.Status())
	e.told(t.Context())
	if again := views(s); len(again) != len(told) {
		t.Errorf("an equal status was told %d times", len(again)-len(told))
	}
}
