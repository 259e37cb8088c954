package ipc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tempPaths returns paths in a new directory with a short name: the path of a socket may have only
// about a hundred bytes.
func tempPaths(t *testing.T) Paths {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "mcpd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return Paths{
		Socket:   filepath.Join(dir, "run", "daemon.sock"),
		Config:   filepath.Join(dir, "mcp.json"),
		StateDir: filepath.Join(dir, "state"),
	}
}

// Fault no-runtime-dir, among others.
func TestResolvePaths(t *testing.T) {
	root := filepath.Dir(tempPaths(t).StateDir)
	runtimeDir := filepath.Join(root, "rt")
	if err := os.Mkdir(runtimeDir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		name           string
		socket, config string
		env            map[string]string
		want           Paths
	}{
		{
			name: "nothing but a home",
			env:  map[string]string{"HOME": "/h"},
			want: Paths{"/h/.local/state/mcp-editord/run/daemon.sock", "/h/.config/mcp-editord/mcp.json", "/h/.local/state/mcp-editord"},
		},
		{
			name: "XDG directories",
			env:  map[string]string{"XDG_RUNTIME_DIR": runtimeDir, "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"},
			want: Paths{runtimeDir + "/mcp-editord/daemon.sock", "/c/mcp-editord/mcp.json", "/s/mcp-editord"},
		},
		{
			name: "our own variables win over XDG's",
			env:  map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": runtimeDir, "MCP_EDITORD_SOCKET": "/e/s", "MCP_EDITORD_CONFIG": "/e/c"},
			want: Paths{"/e/s", "/e/c", "/h/.local/state/mcp-editord"},
		},
		{
			name: "flags win over all", socket: "/f/s", config: "/f/c",
			env:  map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": runtimeDir, "MCP_EDITORD_SOCKET": "/e/s", "MCP_EDITORD_CONFIG": "/e/c"},
			want: Paths{"/f/s", "/f/c", "/h/.local/state/mcp-editord"},
		},
		{
			name: "a relative flag starts at the working directory", socket: "s", config: "c",
			env:  map[string]string{"HOME": "/h"},
			want: Paths{filepath.Join(cwd, "s"), filepath.Join(cwd, "c"), "/h/.local/state/mcp-editord"},
		},
		{
			name: "relative XDG directories count as unset",
			env:  map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": "rt", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "c"},
			want: Paths{"/h/.local/state/mcp-editord/run/daemon.sock", "/h/.config/mcp-editord/mcp.json", "/h/.local/state/mcp-editord"},
		},
		{
			name: "the runtime directory is not there",
			env:  map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": filepath.Join(root, "none")},
			want: Paths{"/h/.local/state/mcp-editord/run/daemon.sock", "/h/.config/mcp-editord/mcp.json", "/h/.local/state/mcp-editord"},
		},
		{
			name: "the runtime directory is a file",
			env:  map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": file},
			want: Paths{"/h/.local/state/mcp-editord/run/daemon.sock", "/h/.config/mcp-editord/mcp.json", "/h/.local/state/mcp-editord"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ResolvePaths(test.socket, test.config, func(name string) string { return test.env[name] })
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// Fault no-runtime-dir: a runtime directory that is read-only or belongs to another user.
func TestUnusableRuntimeDir(t *testing.T) {
	dir := t.TempDir()
	if !usableRuntimeDir(dir) {
		t.Fatalf("%s is not usable as it was made", dir)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, 65534, -1); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if usableRuntimeDir(dir) {
		t.Error("usable")
	}
}

func TestResolvePathsErrors(t *testing.T) {
	long := "/" + strings.Repeat("x", 120)
	tests := []struct {
		name   string
		socket string
		env    map[string]string
		want   []string
	}{
		{"the socket's path is too long", long, map[string]string{"HOME": "/h"}, []string{long, "121", "--socket"}},
		{"no home", "", nil, []string{"HOME", "XDG_STATE_HOME"}},
		{"a relative home", "", map[string]string{"HOME": "h"}, []string{"HOME"}},
		{"no home for the configuration", "", map[string]string{"XDG_STATE_HOME": "/s"}, []string{"HOME", "XDG_CONFIG_HOME"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ResolvePaths(test.socket, "", func(name string) string { return test.env[name] })
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not name %q", err, want)
				}
			}
		})
	}
}

func TestOwnerID(t *testing.T) {
	p := tempPaths(t)
	dir := filepath.Dir(p.Socket)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	link := dir + "-link"
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if a, b := ownerID(p), ownerID(Paths{Socket: filepath.Join(link, "daemon.sock")}); a != b {
		t.Errorf("two spellings of one socket have the owners %s and %s", a, b)
	}
	if a, b := ownerID(p), ownerID(Paths{Socket: filepath.Join(dir, "other.sock")}); a == b {
		t.Errorf("two sockets have the same owner %s", a)
	}
}
