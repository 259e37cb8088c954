package workspaceserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walked returns the files that a walk visits, relative to base.
func walked(t *testing.T, w *workspace, base string) []string {
	t.Helper()
	var got []string
	complete, err := w.walk(t.Context(), maxVisited, func(f file) bool {
		rel, err := filepath.Rel(base, f.path)
		if err != nil {
			t.Error(err)
		}
		got = append(got, filepath.ToSlash(rel))
		return true
	})
	if err != nil || !complete {
		t.Errorf("complete %v, %v", complete, err)
	}
	return got
}

func TestWalk(t *testing.T) {
	dir := tree(t, map[string]string{
		"b.txt": "", "a/z": "", "a/b": "", "a.txt": "", ".hidden": "", ".git/config": "", "node_modules/x/y": "",
		"in/n": "", "in/deep/d": "", "link": "->a.txt", "linkdir": "->a", "out": "->/",
		"other/o": "",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		name  string
		roots []string
		want  []string
	}{
		{"one root", []string{dir}, []string{".hidden", "a/b", "a/z", "a.txt", "b.txt", "in/deep/d", "in/n", "other/o"}},
		{"in the order of the roots", []string{at("other"), at("a")}, []string{"other/o", "a/b", "a/z"}},
		{"a root inside another, after it", []string{dir, at("in")}, []string{".hidden", "a/b", "a/z", "a.txt", "b.txt", "other/o", "in/deep/d", "in/n"}},
		{"a root inside another, before it", []string{at("in"), dir}, []string{"in/deep/d", "in/n", ".hidden", "a/b", "a/z", "a.txt", "b.txt", "other/o"}},
		{"the same root twice", []string{at("linkdir"), at("a")}, []string{"a/b", "a/z"}},
		{"a root of a skipped name", []string{at(".git"), at("node_modules")}, []string{".git/config", "node_modules/x/y"}},
		{"no root", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := walked(t, folders(tt.roots...), dir); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestWalkRootRemovedMeanwhile(t *testing.T) {
	gone, stays := tree(t, map[string]string{"a/1": "", "b/2": "", "c/3": ""}), tree(t, map[string]string{"s": ""})
	var got []string
	complete, err := folders(gone, stays).walk(t.Context(), maxVisited, func(f file) bool {
		got = append(got, filepath.Base(f.path))
		if err := os.RemoveAll(gone); err != nil {
			t.Error(err)
		}
		return true
	})
	if want := []string{"1", "s"}; err != nil || !complete || !slices.Equal(got, want) {
		t.Errorf("visited %q, complete %v, %v; want %q", got, complete, err, want)
	}
}

// A directory that becomes a symbolic link to the outside between the listing
// and the visit leads nowhere.
func TestWalkLinkMadeMeanwhile(t *testing.T) {
	outside := tree(t, map[string]string{"f": "secret"})
	dir := tree(t, map[string]string{"a": "", "b/f": "", "c/f": ""})
	var got []string
	_, err := folders(dir).walk(t.Context(), maxVisited, func(f file) bool {
		switch f.rel {
		case "a":
			if err := errors.Join(os.RemoveAll(filepath.Join(dir, "b")), os.Symlink(outside, filepath.Join(dir, "b"))); err != nil {
				t.Error(err)
			}
		case "c/f":
			if err := errors.Join(os.RemoveAll(filepath.Join(dir, "c")), os.Symlink(outside, filepath.Join(dir, "c"))); err != nil {
				t.Error(err)
			}
			if data, err := f.read(100); err == nil {
				t.Errorf("read %q", data)
			}
		}
		got = append(got, f.rel)
		return true
	})
	if want := []string{"a", "c/f"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("visited %q, %v; want %q", got, err, want)
	}
}

func TestWalkCancelled(t *testing.T) {
	files := make(map[string]string)
	for i := range 500 {
		files[fmt.Sprintf("%d/%d", i%10, i)] = ""
	}
	ctx, cancel := context.WithCancel(t.Context())
	visited := 0
	_, err := folders(tree(t, files)).walk(ctx, maxVisited, func(file) bool {
		if visited++; visited == 3 {
			cancel()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) || visited != 3 {
		t.Errorf("visited %d, %v", visited, err)
	}
}

func TestWalkBounds(t *testing.T) {
	dir := tree(t, map[string]string{"a/1": "", "a/2": "", "a/3": "", "b/4": "", "c": ""})
	deep := strings.Repeat("d/", maxDepth)
	deepest := tree(t, map[string]string{deep + "in": "", deep + "d/out": "", "e": ""})
	for _, tt := range []struct {
		name     string
		dir      string
		most     int
		visited  int
		complete bool
	}{
		{"enough", dir, 7, 5, true},
		{"one too few", dir, 6, 4, false},
		{"only the top", dir, 1, 0, false},
		{"too deep", deepest, maxVisited, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			visited := 0
			complete, err := folders(tt.dir).walk(t.Context(), tt.most, func(file) bool { visited++; return true })
			if visited != tt.visited || complete != tt.complete || err != nil {
				t.Errorf("visited %d, complete %v, %v; want %d, %v", visited, complete, err, tt.visited, tt.complete)
			}
		})
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, rel string
		want         bool
	}{
		{"", "a/b.go", true},
		{"B.G", "a/b.go", true},
		{"a/b", "a/b.go", true},
		{"c", "a/b.go", false},
		{"*.go", "a/b.go", true},
		{"*.go", "b.go", true},
		{"*.GO", "b.go", false},
		{"a/*.go", "a/b.go", true},
		{"a/*.go", "x/a/b.go", false},
		{"**/a/*.go", "x/a/b.go", true},
		{"**/a/*.go", "a/b.go", true},
		{"a/**", "a/b/c", true},
		{"*.{go,md}", "x/y.md", true},
		{"[ab].go", "b.go", true},
		{"?.go", "bb.go", false},
	} {
		match, err := newPattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := match(tt.rel); got != tt.want {
			t.Errorf("%q, %q: %v", tt.pattern, tt.rel, got)
		}
	}
	for _, bad := range []string{"[", "{a", "a/[b", strings.Repeat("a", maxPattern+1), strings.Repeat("{a,a}", maxGroups+1)} {
		if _, err := newPattern(bad); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}
