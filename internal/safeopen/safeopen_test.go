package safeopen

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := File(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "text" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := File(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := File(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := File(filepath.Join(path, "none")); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if entries, err := f.ReadDir(-1); err != nil || len(entries) != 1 {
		t.Errorf("read %v, %v", entries, err)
	}
}
