package editfile

import (
	"bytes"
	"path/filepath"
	"testing"
)

// Only the newest copies of a file are kept, and each file has its own.
func TestBackups(t *testing.T) {
	t.Parallel()
	b := Backups(filepath.Join(t.TempDir(), "b"))
	if _, err := b.Keep("x", "/other", []byte("other")); err != nil {
		t.Fatal(err)
	}
	for i := range maxBackups + 3 {
		if _, err := b.Keep("x", "/a", []byte{byte('a' + i)}); err != nil {
			t.Fatal(err)
		}
	}
	got := string(bytes.Join(b.Of("/a"), nil))
	if want := "mlkjihgfed"; got != want {
		t.Errorf("the copies are %q, want %q", got, want)
	}
	if other := b.Of("/other"); len(other) != 1 {
		t.Errorf("the other file has %d copies", len(other))
	}
}
