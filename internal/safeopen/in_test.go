//go:build unix

package safeopen

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestIn(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(at("in/d"), 0o777),
		os.WriteFile(at("in/file"), []byte("text"), 0o666),
		os.WriteFile(at("in/d/file"), []byte("text"), 0o666),
		os.WriteFile(at("out"), nil, 0o666),
		os.Symlink("file", at("in/link")),
		os.Symlink("../out", at("in/away")),
		os.Symlink("..", at("in/up")),
		unix.Mkfifo(at("in/fifo"), 0o666),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(at("in"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tt := range []struct {
		name string
		ok   bool
	}{{"file", true}, {"d/file", true}, {"d", false}, {"link", false}, {"away", false}, {"up/out", false}, {"../out", false}, {"fifo", false}, {"none", false}} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := In(root, tt.name)
			if (err == nil) != tt.ok || tt.name == "fifo" && !errors.Is(err, ErrNotRegular) {
				t.Errorf("the error is %v", err)
			}
			if err != nil {
				return
			}
			defer f.Close()
			if text, err := io.ReadAll(f); err != nil || string(text) != "text" {
				t.Errorf("it has %q, %v", text, err)
			}
		})
	}
}
