//go:build linux || darwin

package procgroup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxRecord = 1 << 10         // bytes, more than a record has
	reapTime  = 5 * time.Second // how long the processes that Reap kills may take to end
)

// record is what a supervisor writes down: one line in a file of its own. It
// removes the file when nothing of its child is left. So if there is a record, its
// supervisor is alive, or it was killed.
type record struct {
	system     string // see thisSystem
	supervisor identity
	child      identity // its id is also that of its group and its session
}

// writeRecord writes down that this process supervises child.
func writeRecord(path string, child identity) error {
	self, ok := lookAt(os.Getpid())
	system := thisSystem()
	if !ok || system == "" {
		return errors.New("recording the child: the process table cannot be read")
	}
	line := fmt.Sprintln(system, self.pid, self.start, child.pid, child.start)
	// No two files have the same name, but a crash must not leave half of one.
	temporary := path + ".new"
	err := os.WriteFile(temporary, []byte(line), 0o600)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("recording the child: %w", err)
	}
	return nil
}

// readRecord reads a file that writeRecord has written.
func readRecord(path string) (r record, err error) {
	file, err := os.Open(path)
	if err != nil {
		return r, err
	}
	defer func() { _ = file.Close() }()
	_, err = fmt.Fscan(io.LimitReader(file, maxRecord), &r.system, &r.supervisor.pid, &r.supervisor.start, &r.child.pid, &r.child.start)
	return r, err
}

// records returns the files of the records of o, and those left half written.
func (o Owner) records() ([]string, error) {
	if o.Dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(o.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("looking for processes of an earlier daemon: %w", err)
	}
	var paths []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), o.Name+".") {
			paths = append(paths, filepath.Join(o.Dir, entry.Name()))
		}
	}
	return paths, nil
}

// Reap kills every process left over from an earlier life of o, and returns their
// ids. The caller must know that no other owner has its name. Reap must return before
// the first [Owner.Start]. The error names the processes that are still there.
func (o Owner) Reap() ([]int, error) {
	prefix := o.marker()
	left := family{sessions: map[int]uint64{}, marker: func(entry string) bool { return strings.HasPrefix(entry, prefix) }}
	paths, err := o.records()
	system := thisSystem()
	for _, path := range paths {
		// If it cannot be read, it is of no use to the next owner either.
		if r, err := readRecord(path); err == nil && r.system == system {
			left.named = append(left.named, r.supervisor, r.child)
			left.sessions[r.child.pid] = r.child.start
		}
	}
	killed, still := end(left.pick, reapTime)
	for _, path := range paths {
		_ = os.Remove(path)
	}
	if len(still) > 0 {
		err = fmt.Errorf("killing processes of an earlier daemon: %v are still running", still)
	}
	return killed, err
}
