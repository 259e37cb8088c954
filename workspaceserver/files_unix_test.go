//go:build unix

package workspaceserver

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// A named pipe without a writer must not hold up a reader.
func TestNamedPipe(t *testing.T) {
	root := tree(t, map[string]string{"a": "x"})
	pipe := filepath.Join(root, "pipe")
	if err := unix.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	w := folders(root)
	if _, err := w.read(pipe, 1); !errors.Is(err, safeopen.ErrNotRegular) {
		t.Errorf("reading: %v", err)
	}
	if got := walked(t, w, root); len(got) != 1 {
		t.Errorf("a walk visits %q", got)
	}
}
