//go:build linux || darwin

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// Promise 1: the directory of a server is its own, whatever its name.
func TestPromise1OwnDir(t *testing.T) {
	p := ipc.Paths{StateDir: filepath.Join(t.TempDir(), "state")}
	seen := map[string]string{}
	for _, name := range []string{"plain", "../..", "/etc", ".", "a b", "a_b", "a/b", "\u65e5\u672c", strings.Repeat("n", 128)} {
		for _, uri := range []string{"file:///home/u/mcp.json", config.SourceEditor} {
			dir, err := ownDir(p, config.Definition{Name: name, Source: config.Source{URI: uri, Trusted: true}})
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Dir(dir) != p.ServersDir() || len(filepath.Base(dir)) > maxReadable+9 {
				t.Errorf("%q has %s", name, dir)
			}
			if info, err := os.Lstat(dir); err != nil || info.Mode() != os.ModeDir|0o700 {
				t.Errorf("%s: %v, %v", dir, info, err)
			}
			if other, twice := seen[dir]; twice {
				t.Errorf("%q has the directory of %q", name, other)
			}
			seen[dir] = name
		}
	}
	def := config.Definition{Name: "led away"}
	if err := os.Symlink(t.TempDir(), filepath.Join(p.ServersDir(), dirName(def))); err != nil {
		t.Fatal(err)
	}
	if dir, err := ownDir(p, def); err == nil {
		t.Errorf("it runs in %s, which leads elsewhere", dir)
	}
}

// Editors of different folders share a connection of user scope, unless the folder decides what
// runs.
func TestKeyOfUserScope(t *testing.T) {
	a, b := &editor{real: []string{"/a", "/c"}}, &editor{real: []string{"/b", "/c"}}
	user, folder := config.Source{URI: "file:///mcp.json", Trusted: true}, config.Source{URI: "file:///a/.mcp.json", Folder: "/a"}
	for _, tt := range []struct {
		name string
		def  config.Definition
		same bool
	}{
		{"nothing of the folder", config.Definition{Source: user, Command: "c"}, true},
		{"an argument", config.Definition{Source: user, Command: "c", Args: []string{"${workspaceFolder}"}}, false},
		{"a relative cwd", config.Definition{Source: user, Command: "c", Cwd: "sub"}, false},
		{"a URL", config.Definition{Source: user, Transport: config.HTTP, URL: "http://h/${workspaceFolderBasename}"}, false},
		{"the file of a folder", config.Definition{Source: folder, Command: "./c", Args: []string{"${workspaceFolder}"}}, true},
	} {
		tt.def.Scope, tt.def.Digest = config.ScopeUser, "d"
		if tt.def.Transport == "" {
			tt.def.Transport = config.Stdio
		}
		if same := key(tt.def, a) == key(tt.def, b); same != tt.same {
			t.Errorf("%s: the same connection: %v", tt.name, same)
		}
	}
}
