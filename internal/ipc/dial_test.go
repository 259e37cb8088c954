package ipc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Faults unsafe-directory and other-user.
func TestDialRefuses(t *testing.T) {
	t.Run("nothing there", func(t *testing.T) {
		if _, err := Dial(context.Background(), tempPaths(t)); !errors.Is(err, ErrNotRunning) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a directory that others can enter", func(t *testing.T) {
		p := tempPaths(t)
		openListener(t, p)
		if err := os.Chmod(filepath.Dir(p.Socket), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(context.Background(), p); err == nil || errors.Is(err, ErrNotRunning) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a socket of another user", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give a file away")
		}
		p := tempPaths(t)
		openListener(t, p)
		if err := os.Chown(p.Socket, 65534, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(context.Background(), p); err == nil || errors.Is(err, ErrNotRunning) {
			t.Errorf("got %v", err)
		}
	})
}
