package editfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
)

// maxBackups is how many copies of one file are kept.
const maxBackups = 10

// Backups is the folder of copies of files as they were before they were changed.
type Backups string

// Keep copies the content of a file, and forgets the oldest copies. Only this user can read the copy.
func (b Backups) Keep(agent, path string, content []byte) (string, error) {
	if err := os.MkdirAll(string(b), 0o700); err != nil {
		return "", fmt.Errorf("making the folder of backups: %w", err)
	}
	name := fmt.Sprintf("%s-%s-%s", agent, key(path), time.Now().UTC().Format("20060102T150405.000000000Z"))
	copied := filepath.Join(string(b), name)
	if err := atomicfile.Write(copied, content); err != nil {
		return "", fmt.Errorf("writing a backup: %w", err)
	}
	for i, old := range b.names(path) {
		if i >= maxBackups {
			_ = os.Remove(filepath.Join(string(b), old)) // the next one tries again
		}
	}
	return copied, nil
}

// Of returns the copies of a file, the newest first.
func (b Backups) Of(path string) (contents [][]byte) {
	for _, name := range b.names(path) {
		if content, err := os.ReadFile(filepath.Join(string(b), name)); err == nil {
			contents = append(contents, content)
		}
	}
	return contents
}

// names returns the names of the copies of a file, the newest first.
func (b Backups) names(path string) []string {
	names, _ := fs.Glob(os.DirFS(string(b)), "*-"+key(path)+"-*Z") // without the folder there are none
	slices.Reverse(names)
	return names
}

// key stands for a path in the name of a copy.
func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:4])
}
