//go:build linux || darwin

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	faultRow   = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|")
	faultNames = regexp.MustCompile(`\b[Ff]aults? [a-z]+(-[a-z]+)+((, | and )[a-z]+(-[a-z]+)+)*`)
	faultName  = regexp.MustCompile(`[a-z]+(-[a-z]+)+`)
)

// Tests name each fault of docs/reliability.md, and no other.
func TestFaultsHaveTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{} // by fault: whether a test names it
	for _, row := range faultRow.FindAllSubmatch(page, -1) {
		shown[string(row[1])] = false
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "node_modules" || strings.HasPrefix(name, ".") && path != root {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".txtar", ".lua", ".ts", ".mjs"}, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "ault") {
				continue // faster than the expression
			}
			for _, name := range faultName.FindAllString(strings.Join(faultNames.FindAllString(line, -1), " "), -1) {
				if _, there := shown[name]; !there {
					t.Errorf("%s names the fault %s, which docs/reliability.md does not have", path, name)
				}
				shown[name] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, is := range shown {
		if !is {
			t.Errorf("no test names the fault %s of docs/reliability.md", name)
		}
	}
}
