package mcpserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plant makes empty files in dir, and folders where names end in a slash.
func plant(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		folder := path
		if !strings.HasSuffix(name, "/") {
			folder = filepath.Dir(path)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if folder == path {
			continue
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProject(t *testing.T) {
	for _, tt := range []struct{ name, files, dir, want string }{ // below home; want "" means: no folder
		{"a repository", "repo/.git/", "repo/a/b", "repo"},
		{"a worktree, whose .git is a file", "repo/.git", "repo/a", "repo"},
		{"the nearest repository", "repo/.git/ repo/sub/.git/", "repo/sub/a", "repo/sub"},
		{"a package in a repository", "repo/.git/ repo/pkg/package.json", "repo/pkg/src", "repo"},
		{"a package alone", "pkg/go.mod", "pkg/a/b", "pkg"},
		{"a configuration", "p/.mcp.json", "p/a", "p"},
		{"VS Code's configuration", "p/.vscode/mcp.json", "p/a", "p"},
		{"VS Code's settings are none", "p/.vscode/settings.json", "p/a", "p/a"},
		{"nothing", "", "a/b", "a/b"},
		{"the home directory is a repository", ".git/", "a/b", "a/b"},
		{"the home directory", ".git/", "", ""},
		{"above it", "", "..", ""},
		{"the root of the disk", "", "/", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			plant(t, home, strings.Fields(tt.files)...)
			dir := filepath.Join(home, tt.dir)
			if tt.dir == "/" {
				dir = filepath.VolumeName(home) + string(filepath.Separator)
			}
			want := ""
			if tt.want != "" {
				want = filepath.Join(home, tt.want)
			}
			if got := strings.Join(project(dir, home), " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := project("relative", ""); got != nil {
		t.Errorf("a path that is not absolute: %q", got)
	}
}

func TestIdentity(t *testing.T) {
	for _, tt := range []struct{ name, info, title string }{
		{"a title", `{"name":"n","title":"The Title"}`, "The Title"},
		{"none", `{"name":"n"}`, "n"},
		{"nothing", `{}`, ""},
		{"control characters", `{"name":"\u0000 a\u001bb\n"}`, "ab"},
		{"only these", `{"name":"n","title":"\n"}`, "n"},
		{"too long", `{"name":"` + strings.Repeat("é", 40) + `"}`, strings.Repeat("é", 32)},
		{"cut within a letter", `{"name":"x` + strings.Repeat("é", 40) + `"}`, "x" + strings.Repeat("é", 31)},
	} {
		if got := identityOf([]byte(tt.info), nil, false).title; got != tt.title {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.title)
		}
	}
	tasks := []byte(`{"extensions":{"io.modelcontextprotocol/tasks":{},"a/b":{"c":1.0}}}`)
	if got := string(identityOf(nil, tasks, false).capabilities.Extensions); got != `{"a/b":{"c":1.0}}` {
		t.Errorf("of all servers: %s", got)
	}
	if got := string(identityOf(nil, tasks, true).capabilities.Extensions); got != `{"io.modelcontextprotocol/tasks":{},"a/b":{"c":1.0}}` {
		t.Errorf("of one server: %s", got)
	}
}
