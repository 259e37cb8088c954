//go:build linux || darwin

package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A message about a problem names its line, if it has one.
func TestProblemsAreSaidWithTheirLine(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"of a line", "{\n\"servers\": 1}", ".mcp.json: line 2: "},
		{"of the whole file", strings.Repeat(" ", 2<<20), ".mcp.json: the file is larger than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, folder := newTestDaemon(t, time.Hour)
			path := filepath.Join(folder, ".mcp.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, s := attachEditor(t, d, folder)
			s.until(t, "the problem is said", func() bool {
				return slices.ContainsFunc(s.said, func(text string) bool { return strings.HasPrefix(text, folder) && strings.Contains(text, tt.want) })
			})
		})
	}
}
