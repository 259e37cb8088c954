package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// AuditLine is a line of the audit, decoded and as it was written.
type AuditLine struct {
	AuditEntry
	Raw json.RawMessage
}

// ReadAudit returns the last n lines about server in the audit of p, or about any server when
// server is "", the oldest first. It needs no daemon. It also reads the files that were put aside
// when the audit grew. A missing file is not an error. ReadAudit leaves out what is not a line of
// the audit.
func ReadAudit(p ipc.Paths, n int, server string) ([]AuditLine, error) {
	files, err := os.ReadDir(p.StateDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for the audit: %w", err)
	}
	current := filepath.Base(p.AuditFile())
	name, ext, _ := strings.Cut(current, ".")
	var last []AuditLine
	for _, file := range slices.Backward(files) { // by name: audit.jsonl, then audit-<time>.jsonl from the latest on
		aside := strings.HasPrefix(file.Name(), name+"-") && strings.HasSuffix(file.Name(), "."+ext)
		if file.Name() != current && !aside {
			continue
		}
		lines, err := readAuditFile(filepath.Join(p.StateDir, file.Name()), server)
		if err != nil {
			return nil, err
		}
		last = append(lines, last...)
		if len(last) >= n {
			return last[len(last)-n:], nil
		}
	}
	return last, nil
}

// readAuditFile returns the lines of one file that are about server.
func readAuditFile(path, server string) ([]AuditLine, error) {
	text, err := safeopen.Read(path, maxLogFile<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // it was put aside or removed just now
	case err != nil:
		return nil, fmt.Errorf("reading the audit: %w", err)
	}
	var lines []AuditLine
	for raw := range bytes.Lines(text) {
		line := AuditLine{Raw: bytes.TrimSpace(raw)}
		if json.Unmarshal(line.Raw, &line.AuditEntry) != nil || line.Event == "" && line.Lost == 0 {
			continue
		}
		if server == "" || line.Server == auditName(server) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
