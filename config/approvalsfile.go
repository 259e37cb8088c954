package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
)

// approvalsFile is the content of the approvals file.
type approvalsFile struct {
	Version   int      `json:"version"` // 1
	Approvals []Record `json:"approvals"`
}

// refresh reads the file again when it is not the one that was read last. The caller
// holds mu.
func (a *Approvals) refresh() {
	info, err := os.Stat(a.path)
	if err == nil && a.read != nil && os.SameFile(info, a.read) &&
		info.Size() == a.read.Size() && info.ModTime().Equal(a.read.ModTime()) {
		return
	}
	a.records, a.read = nil, info // a change since then is read again
	if a.unreadable = a.load(); a.unreadable != nil {
		a.read = nil
	}
}

// load reads the file. When it cannot, there are no records. A damaged file is moved aside. The caller holds mu.
func (a *Approvals) load() error {
	content, err := os.ReadFile(a.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("reading the approvals: %w", err)
	}
	if records, ok := decode(content); ok {
		a.records = records
		return nil
	}
	aside := a.path + ".damaged" // replaces an older one: there is one at most
	if err := os.Rename(a.path, aside); err != nil {
		return fmt.Errorf("moving the damaged approvals aside: %w", err)
	}
	a.damaged = aside
	return nil
}

// update changes the records with f, first on the disk and then in memory.
func (a *Approvals) update(f func([]Record) ([]Record, error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refresh(); a.unreadable != nil {
		return a.unreadable
	}
	records, err := f(a.records)
	if err != nil {
		return err
	}
	records = records[max(0, len(records)-maxRecords):]
	content, err := json.MarshalIndent(approvalsFile{Version: 1, Approvals: records}, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(a.path, append(content, '\n')); err != nil {
		return err
	}
	a.records = records
	a.read, _ = os.Stat(a.path) // nil: refresh reads it again
	return nil
}

// decode returns the records of a file, or false when it is damaged.
func decode(content []byte) ([]Record, bool) {
	var file approvalsFile
	if json.Unmarshal(content, &file) != nil || file.Version != 1 {
		return nil, false
	}
	seen := map[string]bool{}
	for _, r := range file.Approvals {
		if r.Digest == "" || seen[r.Digest] || r.Decision != Allow && r.Decision != Deny {
			return nil, false
		}
		seen[r.Digest] = true
	}
	return file.Approvals, true
}
