package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
)

const (
	lockWithin = 5 * time.Second // other processes hold the lock for milliseconds
	lockRetry  = 10 * time.Millisecond
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
	a.unreadable = a.load(false)
}

// update changes the records with f, first on the disk and then in memory.
func (a *Approvals) update(f func([]Record) ([]Record, error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.locked(func() error {
		if err := a.load(true); err != nil {
			return err
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

// load reads the file. When it cannot, there are no records. A damaged file is moved aside, with
// the lock held: another process may just have mended it. The caller holds mu.
func (a *Approvals) load(locked bool) error {
	a.records, a.read = nil, nil
	info, err := os.Stat(a.path) // before it is read: a later change is read again
	var content []byte
	if err == nil {
		content, err = os.ReadFile(a.path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("reading the approvals: %w", err)
	}
	records, ok := decode(content)
	switch {
	case ok:
		a.records, a.read = records, info
	case !locked:
		return a.locked(func() error { return a.load(true) })
	default:
		aside := a.path + ".damaged" // replaces an older one: there is one at most
		if err := os.Rename(a.path, aside); err != nil {
			return fmt.Errorf("moving the damaged approvals aside: %w", err)
		}
		a.damaged = aside
	}
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
