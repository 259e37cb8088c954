//go:build linux || darwin

package daemon

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// Fault connection-flood: an editor too many learns of the limit, and an editor that leaves makes
// room.
func TestTooManyEditors(t *testing.T) {
	d, _ := newTestDaemon(t, 0)
	d.most = 2
	p := editorapi.AttachParams{DynamicCommands: true}
	first := attachWith(t, d, newScreen(), p)
	attachWith(t, d, newScreen(), p)
	_, err := d.Attach(t.Context(), newScreen(), p)
	if refused := (*editorapi.Error)(nil); !errors.As(err, &refused) || refused.Kind != editorapi.KindBusy || !strings.Contains(refused.Message, "at most 2 editors") {
		t.Errorf("one too many: %v", err)
	}
	first.Close()
	first.Close() // makes room once
	attachWith(t, d, newScreen(), p)
	if _, err := d.Attach(t.Context(), newScreen(), p); err == nil {
		t.Error("one too many was attached")
	}
}
