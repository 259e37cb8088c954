//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whatever the owner of a folder puts in place of a file, nobody waits for it.
func TestPromise4PipesAreNotOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".mcp.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readEnvFile(path); err == nil {
		t.Error("a pipe is taken for an envFile")
	}
	file, changed := track(path, Source{Folder: filepath.Dir(path)}).read(readRegular)
	if !changed || !file.Broken || !strings.Contains(file.Problems[0].Message, "not a regular file") {
		t.Errorf("got %+v", file)
	}
}
