package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
)

// Limits of the approvals file.
const (
	maxApprovalsBytes = 16 << 20
	lockWithin        = 5 * time.Second // other processes hold the lock for milliseconds
	lockRetry         = 10 * time.Millisecond
)

// approvalsFile is the content of the approvals file.
type approvalsFile struct {
	Version   int      `json:"version"` // 1
	Approvals []Record `json:"approvals"`
}

var errDamaged = errors.New("the approvals file is damaged")

// refresh reads the file again when it is not the one that was read last. The caller
// holds mu.
func (a *Approvals) refresh() {
	info, err := os.Stat(a.path)
	if err == nil && a.read != nil && os.SameFile(info, a.read) &&
		info.Size() == a.read.Size() && info.ModTime().Equal(a.read.ModTime()) {
		return
	}
	a.unreadable = a.load()
	if errors.Is(a.unreadable, errDamaged) {
		a.unreadable = a.locked(a.loadOrSetAside)
	}
}

// update changes the records with f, first on the disk and then in memory.
func (a *Approvals) update(f func([]Record) ([]Record, error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.locked(func() error {
		if err := a.loadOrSetAside(); err != nil {
			return err
		}
		records, err := f(a.records)
		if err != nil {
			return err
		}
		content, records, err := encode(records)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(a.path, content); err != nil {
			return err
		}
		a.records, a.unreadable = records, nil
		a.read, _ = os.Stat(a.path) // nil: refresh reads it again
		return nil
	})
}

// locked runs f while no other process changes the file. The caller holds mu.
func (a *Approvals) locked(f func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	lock := flock.New(a.path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("locking the approvals: %w", err)
	}
	defer lock.Close()
	return f()
}

// load reads the file. When it cannot, there are no records. The caller holds mu.
func (a *Approvals) load() error {
	a.records, a.read = nil, nil
	f, err := os.Open(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the approvals: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading the approvals: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxApprovalsBytes+1))
	if err != nil {
		return fmt.Errorf("reading the approvals: %w", err)
	}
	records, ok := decode(content)
	if !ok {
		return errDamaged
	}
	a.records, a.read = records, info
	return nil
}

// loadOrSetAside reads the file, and moves it aside when it is damaged. The caller
// holds mu and the lock.
func (a *Approvals) loadOrSetAside() error {
	err := a.load()
	if !errors.Is(err, errDamaged) {
		return err
	}
	aside := a.path + ".damaged" // replaces an older one: there is one at most
	if err := os.Rename(a.path, aside); err != nil {
		return fmt.Errorf("moving the damaged approvals aside: %w", err)
	}
	a.damaged = aside
	return nil
}

// decode returns the records of a file, or false when it is damaged.
func decode(content []byte) ([]Record, bool) {
	var file approvalsFile
	if len(content) > maxApprovalsBytes || json.Unmarshal(content, &file) != nil || file.Version != 1 {
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

// encode returns the content for records, and the records that are in it. It leaves out the
// oldest when there are too many.
func encode(records []Record) ([]byte, []Record, error) {
	records = records[max(0, len(records)-maxRecords):]
	for {
		content, err := json.MarshalIndent(approvalsFile{Version: 1, Approvals: records}, "", "  ")
		if err != nil {
			return nil, nil, err
		}
		if len(content) <= maxApprovalsBytes || len(records) < 2 {
			return append(content, '\n'), records, nil
		}
		records = records[len(records)/2:]
	}
}
