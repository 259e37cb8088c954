package ipc

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
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

// ourMachine returns a machine with the directory /run/user of this user in dir.
func ourMachine(t *testing.T, dir string) (m machine, runtimeDir string) {
	t.Helper()
	m = machine{runtimeDirs: filepath.Join(dir, "run", "user"), uid: os.Geteuid(), host: "host.example", maxSocket: 107}
	runtimeDir = filepath.Join(m.runtimeDirs, strconv.Itoa(m.uid))
	if err := os.MkdirAll(runtimeDir, 0o700); err != nil {
		t.Fatal(err)
	}
	return m, runtimeDir
}

// Fault no-runtime-dir, among others.
func TestResolvePaths(t *testing.T) {
	root := filepath.Dir(tempPaths(t).StateDir)
	ours, runtimeDir := ourMachine(t, root)
	without := machine{runtimeDirs: filepath.Join(root, "none"), uid: os.Geteuid(), host: "host.example", maxSocket: 107}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	const (
		state, config = "/h/.local/state/mcp-editord", "/h/.config/mcp-editord/mcp.json"
		inState       = state + "/run/host.example/daemon.sock"
	)
	inRuntimeDir := runtimeDir + "/mcp-editord/daemon.sock"
	home := map[string]string{"HOME": "/h"}
	own := map[string]string{"HOME": "/h", "MCP_EDITORD_SOCKET": "/e/s", "MCP_EDITORD_CONFIG": "/e/c"}
	tests := []struct {
		name    string
		machine machine
		flags   Flags
		env     map[string]string
		want    Paths // without the host
	}{
		{"nothing but a home", without, Flags{}, home, Paths{Socket: inState, Config: config, StateDir: state}},
		{"XDG_RUNTIME_DIR does not count", without, Flags{}, map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": runtimeDir},
			Paths{Socket: inState, Config: config, StateDir: state}},
		{"a runtime directory, and a starved environment", ours, Flags{}, home, Paths{Socket: inRuntimeDir, Config: config, StateDir: state}},
		{"a runtime directory, and another one in the environment", ours, Flags{},
			map[string]string{"XDG_RUNTIME_DIR": root, "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"},
			Paths{Socket: inRuntimeDir, Config: "/c/mcp-editord/mcp.json", StateDir: "/s/mcp-editord"}},
		{"our own variables win over XDG's", ours, Flags{}, own,
			Paths{Socket: "/e/s", Config: "/e/c", StateDir: state, SocketFrom: "MCP_EDITORD_SOCKET", ConfigFrom: "MCP_EDITORD_CONFIG"}},
		{"flags win over all", ours, Flags{Socket: "/f/s", Config: "/f/c"}, own,
			Paths{Socket: "/f/s", Config: "/f/c", StateDir: state, SocketFrom: "--socket", ConfigFrom: "--config"}},
		{"a relative flag starts at the working directory", without, Flags{Socket: "s", Config: "c"}, home,
			Paths{Socket: filepath.Join(cwd, "s"), Config: filepath.Join(cwd, "c"), StateDir: state, SocketFrom: "--socket", ConfigFrom: "--config"}},
		{"a state directory, and what lies in it", without, Flags{State: "/f/state"}, map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/s"},
			Paths{Socket: "/f/state/run/host.example/daemon.sock", Config: config, StateDir: "/f/state", StateFrom: "--state"}},
		{"relative XDG directories count as unset", without, Flags{}, map[string]string{"HOME": "/h", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "c"},
			Paths{Socket: inState, Config: config, StateDir: state}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := resolvePaths(test.flags, func(name string) string { return test.env[name] }, test.machine)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Host = "host.example"
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// Fault no-runtime-dir: a runtime directory that is not there, or not ours alone.
func TestUnusableRuntimeDir(t *testing.T) {
	for name, spoil := range map[string]func(m *machine, dir string) error{
		"not there": func(_ *machine, dir string) error { return os.Remove(dir) },
		"a file": func(_ *machine, dir string) error {
			return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o700))
		},
		"for the group to write": func(_ *machine, dir string) error { return os.Chmod(dir, 0o770) },
		"another user's": func(m *machine, dir string) error {
			m.uid++
			return os.Rename(dir, filepath.Join(m.runtimeDirs, strconv.Itoa(m.uid)))
		},
		"read-only": func(_ *machine, dir string) error { return os.Chmod(dir, 0o500) },
	} {
		t.Run(name, func(t *testing.T) {
			m, dir := ourMachine(t, t.TempDir())
			if got := m.runtimeDir(); got != dir {
				t.Fatalf("as it was made, it is %q", got)
			}
			if name == "read-only" && os.Geteuid() == 0 {
				t.Skip("root can write to every directory")
			}
			if err := spoil(&m, dir); err != nil {
				t.Fatal(err)
			}
			if got := m.runtimeDir(); got != "" {
				t.Errorf("%s is used", got)
			}
		})
	}
}

func TestHostDir(t *testing.T) {
	const runs = "/home/u/.local/state/mcp-editord/run"
	for _, test := range []struct{ name, host, runs, want string }{
		{"as it is", "node-1.example", runs, "node-1.example"},
		{"no name", "", runs, "e3b0c442"},
		{"no name of a file", "a/b", runs, "c14cddc0"},
		{"another one", "a:b", runs, "6783a31e"},
		{"a hidden file", "..", runs, "5ec1f7e7"},
		{"too long", strings.Repeat("long.", 30), runs, "767f1edc"},
		{"no room at all", "host", "/" + strings.Repeat("x", 200), "4740ae63"},
	} {
		if got := (machine{host: test.host, maxSocket: 107}).hostDir(test.runs); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
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
		{"the state directory leaves no room for the socket", "", map[string]string{"HOME": long}, []string{long, "--socket"}},
		{"no home", "", nil, []string{"HOME", "XDG_STATE_HOME"}},
		{"a relative home", "", map[string]string{"HOME": "h"}, []string{"HOME"}},
		{"no home for the configuration", "", map[string]string{"XDG_STATE_HOME": "/s"}, []string{"HOME", "XDG_CONFIG_HOME"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := resolvePaths(Flags{Socket: test.socket}, func(name string) string { return test.env[name] }, machine{runtimeDirs: "/nonexistent", host: "h", maxSocket: 107})
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

func TestServerOwner(t *testing.T) {
	p := tempPaths(t)
	dir := filepath.Dir(p.Socket)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	link := dir + "-link"
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if a, b := p.ServerOwner(), (Paths{Socket: filepath.Join(link, "daemon.sock")}).ServerOwner(); a != b {
		t.Errorf("two spellings of one socket have the owners %s and %s", a, b)
	}
	if a, b := p.ServerOwner(), (Paths{Socket: filepath.Join(dir, "other.sock")}).ServerOwner(); a == b {
		t.Errorf("two sockets have the same owner %s", a)
	}
}
