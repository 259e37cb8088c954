package roots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/fswatch"
)

// tree is a workspace folder for one test, by its canonical name.
type tree struct {
	t    *testing.T
	base string
}

func newTree(t *testing.T, dirs ...string) tree {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := tree{t, base}
	for _, dir := range dirs {
		x.mkdir(dir)
	}
	return x
}

func (x tree) at(path string) string { return filepath.Join(x.base, path) }

func (x tree) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x tree) mkdir(path string)      { x.t.Helper(); x.must(os.MkdirAll(x.at(path), 0o777)) }
func (x tree) remove(path string)     { x.t.Helper(); x.must(os.RemoveAll(x.at(path))) }
func (x tree) rename(from, to string) { x.t.Helper(); x.must(os.Rename(x.at(from), x.at(to))) }

func (x tree) link(target, path string) {
	x.t.Helper()
	if err := os.Symlink(target, x.at(path)); err != nil {
		x.t.Skip("no symbolic links:", err)
	}
}

// names returns the roots as paths under the tree.
func (x tree) names(roots []Root) []string {
	x.t.Helper()
	names := []string{}
	for _, r := range roots {
		path, err := fileuri.ToPath(r.URI)
		x.must(err)
		if r.Name != filepath.Base(path) {
			x.t.Errorf("%s is named %q", r.URI, r.Name)
		}
		rel, err := filepath.Rel(x.base, path)
		x.must(err)
		names = append(names, filepath.ToSlash(rel))
	}
	return names
}

// reader returns a reader with a watcher of its own.
func (x tree) reader(c Config) *reader {
	hub := fswatch.New(zap.NewNop())
	r := newReader(slices.Concat(parse(c, zap.NewNop())...), hub, func() {})
	x.t.Cleanup(func() {
		r.close()
		x.must(hub.Close())
	})
	return r
}

// scan returns what a new reader of the entries finds.
func (x tree) scan(c Config) found { return x.reader(c).scan(false) }

// scanTest is a configuration and what a new reader finds, without a problem.
type scanTest struct {
	name             string
	folders, entries []string
	want             []string
}

func (x tree) testScans(t *testing.T, tests []scanTest) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := x.scan(Config{tt.folders, tt.entries})
			if names := x.names(got.roots); !slices.Equal(names, tt.want) {
				t.Errorf("got %q, want %q", names, tt.want)
			}
			if len(got.problems) > 0 {
				t.Errorf("the problems are %q", got.problems)
			}
		})
	}
}

func TestScan(t *testing.T) {
	x := newTree(t, "ws/packages/a/src", "ws/packages/b/src", "ws/packages/b/src/deep", "ws/packages/.hidden",
		"ws/lib", "ws/[x]", "out/side/src")
	x.must(os.WriteFile(x.at("ws/packages/file"), nil, 0o666))
	x.link("../../out/side", "ws/packages/link")
	x.link("../packages", "ws/packages/loop")
	x.link("nowhere", "ws/packages/dangling")
	x.link("lib", "ws/lib2")
	ws := []string{x.at("ws")}
	x.testScans(t, []scanTest{
		{"the folders, in their order", []string{x.at("ws/lib"), x.at("ws")}, nil, []string{"ws/lib", "ws"}},
		{"a folder twice, with a slash and by a link", []string{x.at("ws/lib"), x.at("ws/lib") + "/", x.at("ws/lib2")}, nil, []string{"ws/lib"}},
		{"a folder that is not there", []string{x.at("gone"), x.at("ws")}, nil, []string{"ws"}},
		{"a folder that is a file", []string{x.at("ws/packages/file")}, nil, nil},
		{"a folder's name is no glob", []string{x.at("ws/[x]"), x.at("ws/*")}, nil, []string{"ws/[x]"}},
		{"a folder that is not absolute", []string{"", ".", x.at("ws")}, nil, []string{"ws"}},
		{"no roots", ws, []string{}, nil},
		{"no folders", nil, nil, nil},
		{"relative", ws, []string{"packages/a", "./lib/", "."}, []string{"ws/packages/a", "ws/lib", "ws"}},
		{"above the folder", ws, []string{"../out/side"}, []string{"out/side"}},
		{"absolute", ws, []string{x.at("out/side")}, []string{"out/side"}},
		{"relative without a folder", nil, []string{"lib", x.at("ws")}, []string{"ws"}},
		{"the folder's own name is no glob", []string{x.at("ws/[x]")}, []string{"../l*"}, []string{"ws/lib"}},
		{"star", ws, []string{"packages/*"},
			[]string{"ws/packages/.hidden", "ws/packages/a", "ws/packages/b", "out/side", "ws/packages"}},
		{"star and slash", ws, []string{"packages/a*/"}, []string{"ws/packages/a"}},
		{"question mark", ws, []string{"packages/?"}, []string{"ws/packages/a", "ws/packages/b"}},
		{"class", ws, []string{"packages/[b-z]"}, []string{"ws/packages/b"}},
		{"escaped", ws, []string{`\[x\]`}, []string{"ws/[x]"}},
		{"braces keep their order", ws, []string{"packages/{b,a}"}, []string{"ws/packages/b", "ws/packages/a"}},
		{"braces with slashes", ws, []string{"{packages/{b/src,a},lib}"}, []string{"ws/packages/b/src", "ws/packages/a", "ws/lib"}},
		{"a comma in a class", ws, []string{"{packages/[,a],lib}"}, []string{"ws/packages/a", "ws/lib"}},
		{"through a link", ws, []string{"packages/link/*", "packages/l*/src"}, []string{"out/side/src"}},
		{"below a star", ws, []string{"packages/*/src"}, []string{"ws/packages/a/src", "ws/packages/b/src", "out/side/src"}},
		{"double star does not go through links", ws, []string{"packages/**/src"}, []string{"ws/packages/a/src", "ws/packages/b/src"}},
		{"double star at the end", ws, []string{"packages/b/**"}, []string{"ws/packages/b", "ws/packages/b/src", "ws/packages/b/src/deep"}},
		{"two double stars", ws, []string{"**/b/**/**/deep"}, []string{"ws/packages/b/src/deep"}},
		{"a root once", ws, []string{"lib", "lib*", "."}, []string{"ws/lib", "ws"}},
		{"what is no pattern", ws, []string{"packages/[a", "packages/{a", "", "lib"}, []string{"ws/lib"}},
	})
}

// Fault odd-folder-name.
func TestNames(t *testing.T) {
	for _, name := range []string{"a b", "100%", "%41", "c#", "what?", "å日本", "not utf-8 \xff", "a:b", "[x]", `a\b`} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			x := newTree(t)
			if err := os.Mkdir(x.at(name), 0o777); err != nil {
				t.Skip("this filesystem has no such names:", err)
			}
			for _, c := range []Config{{Folders: []string{x.at(name) + "/"}}, {Folders: []string{x.base}, Entries: []string{"*"}}} {
				roots := x.scan(c).roots
				if len(roots) != 1 || roots[0] != (Root{URI: fileuri.FromPath(x.at(name)), Name: name}) {
					t.Errorf("the roots are %q", roots)
				}
			}
		})
	}
}

func TestParseSays(t *testing.T) {
	for _, tt := range []struct{ name, entry, reason string }{
		{"empty", "", "empty"},
		{"open bracket", "a/[b", "not closed"},
		{"open brace", "a/{b,c", "not closed"},
		{"a bomb of braces", strings.Repeat("{a,b}", 20), "too many"},
		{"a long list", "{" + strings.Repeat("a,", 200) + "}", "too many"},
		{"no folder", "a", "no folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			core, logs := observer.New(zap.WarnLevel)
			if got := parse(Config{Entries: []string{tt.entry}}, zap.New(core)); len(got) != 0 {
				t.Errorf("it is %q", got)
			}
			if all := logs.All(); len(all) != 1 || !strings.Contains(all[0].ContextMap()["reason"].(string), tt.reason) {
				t.Errorf("the log says %v", all)
			}
		})
	}
}
