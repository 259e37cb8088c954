package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.json")
	for _, content := range []string{"first", "", "a longer one"} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("read %q, %v; want %q", got, err, content)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v; want only the file", entries, err)
	}
}

// Only this user can read a file of Write. That of WriteMode has the mode that is wanted.
func TestWriteMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permissions of this kind")
	}
	path := filepath.Join(t.TempDir(), "a.json")
	for _, mode := range []fs.FileMode{0o644, 0o600, 0o640} {
		if err := WriteMode(path, []byte("x"), mode); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode %v, %v; want %v", info.Mode(), err, mode)
		}
	}
	if err := Write(path, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

// A Write that fails leaves what was there, and nothing else.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.MkdirAll(filepath.Join(path, "below"), 0o700); err != nil { // a rename does not replace it
		t.Fatal(err)
	}
	if err := Write(path, []byte("x")); err == nil {
		t.Error("writing over a folder succeeds")
	}
	if left, err := Leftovers(path); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v; want nothing", left, err)
	}
}

func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.json", "a.json.1.tmp", "a.json.2.tmp", "b.json.1.tmp", "a.json.lock", "a.jsonx.1.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Leftovers(filepath.Join(dir, "a.json"))
	want := []string{filepath.Join(dir, "a.json.1.tmp"), filepath.Join(dir, "a.json.2.tmp")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
}
