package agentconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
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
	for i, old := range b.paths(path) {
		if i >= maxBackups {
			_ = os.Remove(old) // the next one tries again
		}
	}
	return copied, nil
}

// of returns the copies of a file, the newest first.
func (b Backups) of(path string) [][]byte {
	var contents [][]byte
	for _, copied := range b.paths(path) {
		f, err := safeopen.File(copied)
		if err != nil {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
		f.Close()
		if err == nil && len(content) <= maxFile {
			contents = append(contents, content)
		}
	}
	return contents
}

// paths returns the paths of the copies of a file, the newest first.
func (b Backups) paths(path string) []string {
	entries, _ := os.ReadDir(string(b)) // without the folder there are none
	var found []string
	for _, e := range slices.Backward(entries) {
		if strings.Contains(e.Name(), "-"+key(path)+"-") && strings.HasSuffix(e.Name(), "Z") {
			found = append(found, filepath.Join(string(b), e.Name()))
		}
	}
	return found
}

// key stands for a path in the name of a copy.
func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:4])
}
