package roots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
)

// bigTree makes 20,000 folders, one of them src.
func bigTree(b *testing.B) (base string, c Config) {
	b.Helper()
	base, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	dirs := []string{filepath.Join(base, "000/000/00/src")}
	for i := range 1000 {
		for j := range 19 {
			dirs = append(dirs, filepath.Join(base, fmt.Sprintf("%03d/%03d/%02d", i/100, i, j)))
		}
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			b.Fatal(err)
		}
	}
	return base, Config{Folders: []string{base}, Entries: []string{"**/src"}}
}

// The first list of a tree, with a watch for each of its folders.
func BenchmarkFirstList(b *testing.B) {
	_, c := bigTree(b)
	for b.Loop() {
		hub := fswatch.New(zap.NewNop())
		r := newReader(slices.Concat(parse(c, zap.NewNop())...), hub, func() {})
		if got := r.scan(false); len(got.roots) != 1 || got.polled > 0 {
			b.Fatalf("%d roots, %q", len(got.roots), got.problems)
		}
		r.close()
		if err := hub.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// A change deep in a tree: late is the time from the change to the call of changed, without the
// time to come to rest.
func BenchmarkChange(b *testing.B) {
	base, c := bigTree(b)
	hub := fswatch.New(zap.NewNop())
	defer hub.Close()
	changed := make(chan struct{}, 100)
	s := New(c, hub, func() { changed <- struct{}{} }, func() {}, zap.NewNop())
	defer s.Close()
	<-changed
	dir := filepath.Join(base, "005/555/15/src")
	var all []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := os.Mkdir(dir, 0o777); err != nil {
			b.Fatal(err)
		}
		<-changed
		all = append(all, time.Since(began)-quiet)
		if err := os.Remove(dir); err != nil {
			b.Fatal(err)
		}
		<-changed
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "late-µs")
}
