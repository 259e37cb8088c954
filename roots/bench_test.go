package roots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
)

// The first list of 20,000 folders, one of them src, with a watch for each: at most a second.
func BenchmarkFirstList(b *testing.B) {
	base, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	dirs := []string{"000/000/00/src"}
	for i := range 1000 {
		for j := range 19 {
			dirs = append(dirs, fmt.Sprintf("%03d/%03d/%02d", i/100, i, j))
		}
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
			b.Fatal(err)
		}
	}
	entries := slices.Concat(parse(Config{Folders: []string{base}, Entries: []string{"**/src"}}, zap.NewNop())...)
	for b.Loop() {
		hub := fswatch.New(zap.NewNop())
		r := newReader(entries, hub, func() {})
		if got := r.scan(false); len(got.roots) != 1 || got.polled > 0 {
			b.Fatalf("%d roots, %q", len(got.roots), got.problems)
		}
		r.close()
		if err := hub.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
