package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// tempPaths returns paths in a new directory.
func tempPaths(t *testing.T) ipc.Paths {
	t.Helper()
	dir := t.TempDir()
	return ipc.Paths{Socket: filepath.Join(dir, "s"), Config: filepath.Join(dir, "mcp.json"), StateDir: filepath.Join(dir, "state")}
}

// writeFile writes a file, and makes the folder that it is in.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestLogger(t *testing.T) {
	p := tempPaths(t)
	if _, _, err := newLogger(p, "loud"); err == nil || !strings.Contains(err.Error(), `"loud"`) {
		t.Errorf("got %v", err)
	}
	log, closeLog, err := newLogger(p, "warn")
	if err != nil {
		t.Fatal(err)
	}
	log.Info("not written")
	log.Named("part").Warn("written", zap.Int("id", 7))
	closeLog()

	b, err := os.ReadFile(p.LogFile())
	if err != nil {
		t.Fatal(err)
	}
	var line struct {
		Time, Level, Logger, Msg string
		ID                       int
	}
	if err := json.Unmarshal(b, &line); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if line.Time == "" || line.Level != "warn" || line.Logger != "part" || line.Msg != "written" || line.ID != 7 {
		t.Errorf("got %s", b)
	}
	info, err := os.Stat(p.LogFile())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// Fault disk-full: the disk of the log is full.
func TestLogDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	p := tempPaths(t)
	if err := os.MkdirAll(p.StateDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", p.LogFile()); err != nil {
		t.Fatal(err)
	}
	log, closeLog, err := newLogger(p, "")
	if err != nil {
		t.Fatal(err)
	}
	defer closeLog()
	for range 3 {
		log.Info("x")
	}
	if err := log.Sync(); err != nil {
		t.Error(err)
	}
}

// fullDisk is a file that fails while it is full.
type fullDisk struct {
	bytes.Buffer
	full bool
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.full {
		return 0, errors.New("no space left on device")
	}
	return d.Buffer.Write(b)
}

func (d *fullDisk) Close() error { return nil }

// Fault disk-full: lines that could not be written are kept, within bounds, and written later.
func TestLinesDiskFull(t *testing.T) {
	tests := []struct {
		name     string
		lines    int // while the disk is full
		size     int // of each, with the line feed
		lost     string
		wantKept int
	}{
		{"nothing failed", 0, 0, "", 0},
		{"all lines are kept", 3, 10, "", 3},
		{"too many bytes", 8, maxKeptLog / 4, `"lost":5`, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			disk := &fullDisk{}
			w := newLineFile(disk)
			write := func(line string) {
				t.Helper()
				if n, err := w.Write([]byte(line)); n != len(line) || err != nil {
					t.Fatalf("Write returned %d, %v", n, err)
				}
			}
			write("before\n")
			disk.full = true
			for i := range test.lines {
				write(fmt.Sprintf("%0*d\n", test.size-1, i))
			}
			disk.full = false
			write("after\n")
			write("later\n")

			lines := strings.FieldsFunc(disk.String(), func(r rune) bool { return r == '\n' })
			if lines[0] != "before" || lines[len(lines)-2] != "after" || lines[len(lines)-1] != "later" {
				t.Fatalf("the first line is %.20q, the last ones are %.20q", lines[0], lines[len(lines)-2:])
			}
			kept := lines[1 : len(lines)-2]
			if test.lost != "" {
				if !strings.Contains(kept[0], test.lost) {
					t.Errorf("%q does not say %s", kept[0], test.lost)
				}
				kept = kept[1:]
			}
			if len(kept) != test.wantKept {
				t.Errorf("%d lines were kept, want %d", len(kept), test.wantKept)
			}
			for i, line := range kept {
				if want := fmt.Sprintf("%0*d", test.size-1, test.lines-len(kept)+i); line != want {
					t.Fatalf("line %d is %.20q, want %.20q", i, line, want)
				}
			}
		})
	}
}
