package agentconfig

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
)

// user is a home directory with Cursor's file in it.
type user struct {
	t       *testing.T
	home    string
	path    string
	backups editfile.Backups
}

func newUser(t *testing.T, content string) *user {
	t.Helper()
	u := &user{t: t, home: t.TempDir(), backups: editfile.Backups(filepath.Join(t.TempDir(), "backups"))}
	t.Setenv("HOME", u.home)
	t.Setenv("USERPROFILE", u.home)
	t.Setenv("XDG_CONFIG_HOME", "")
	u.path = filepath.Join(u.home, ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Dir(u.path), 0o700); err != nil {
		t.Fatal(err)
	}
	u.write(content)
	return u
}

func (u *user) write(content string) {
	u.t.Helper()
	if err := os.WriteFile(u.path, []byte(content), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) read() string {
	u.t.Helper()
	content, err := os.ReadFile(u.path)
	if err != nil {
		u.t.Fatal(err)
	}
	return string(content)
}

func (u *user) connect() (*Plan, error) {
	return agent(u.t, "cursor").Plan(u.backups, mine, false)
}

func (u *user) apply(plan *Plan, err error) string {
	u.t.Helper()
	if err != nil {
		u.t.Fatal(err)
	}
	backup, err := plan.Apply()
	if err != nil {
		u.t.Fatal(err)
	}
	return backup
}

// The copy has what was there, and only this user can read it. The file keeps its mode.
func TestApply(t *testing.T) {
	const before = "{\n  \"mcpServers\": {}\n}\n"
	u := newUser(t, before)
	backup := u.apply(u.connect())
	if content, err := os.ReadFile(backup); err != nil || string(content) != before {
		t.Errorf("the copy has %q, %v", content, err)
	}
	for path, want := range map[string]fs.FileMode{u.path: 0o644, backup: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^0o066 != want&^0o066 || info.Mode().Perm() != want && filepath.Separator == '/' {
			t.Errorf("%s has mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	if !strings.Contains(u.read(), "/usr/bin/mcp-editord") {
		t.Errorf("the file has %s", u.read())
	}
}

// There need be no file.
func TestApplyNewFile(t *testing.T) {
	u := newUser(t, "")
	if err := os.RemoveAll(filepath.Dir(u.path)); err != nil {
		t.Fatal(err)
	}
	if plan, err := agent(t, "cursor").Plan(u.backups, nil, false); err != nil || len(plan.Changes) > 0 {
		t.Errorf("there is something to do without a file: %v", err)
	}
	if backup := u.apply(u.connect()); backup != "" {
		t.Errorf("there is a copy of nothing: %s", backup)
	}
	u.apply(agent(t, "cursor").Plan(u.backups, nil, false))
	if want := "{\n  \"mcpServers\": {}\n}\n"; u.read() != want {
		t.Errorf("disconnected it is %q, want %q", u.read(), want)
	}
}

// What the agent wrote meanwhile is kept, if the change is still the one that was shown.
func TestApplyAfterTheAgentWrote(t *testing.T) {
	u := newUser(t, "{\n  \"mcpServers\": {}\n}\n")
	plan, err := u.connect()
	u.write("{\n  \"mcpServers\": {},\n  \"n\": 2\n}\n")
	u.apply(plan, err)
	if !strings.Contains(u.read(), `"n": 2`) || !strings.Contains(u.read(), "mcp-editord") {
		t.Errorf("the file has %s", u.read())
	}

	u = newUser(t, "{}\n")
	plan, err = u.connect()
	if err != nil {
		t.Fatal(err)
	}
	other := "{\n    \"mcpServers\": {\"mcp-editord\": {\"command\": \"mcp-editord\", \"args\": [\"mcp\", \"--lazy\"]}}\n}\n"
	u.write(other)
	if _, err := plan.Apply(); err == nil || !strings.Contains(err.Error(), "has changed since") {
		t.Errorf("error %v", err)
	}
	if u.read() != other {
		t.Errorf("it wrote %s", u.read())
	}
}

// A link stays one; what it leads to is written.
func TestApplyThroughALink(t *testing.T) {
	u := newUser(t, "{}\n")
	target := filepath.Join(t.TempDir(), "dotfile.json")
	if err := os.Rename(u.path, target); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, u.path); err != nil {
		t.Skip(err) // Windows without the privilege
	}
	u.apply(u.connect())
	if info, err := os.Lstat(u.path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if content, _ := os.ReadFile(target); !bytes.Contains(content, []byte("mcp-editord")) {
		t.Errorf("the target has %s", content)
	}
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := u.connect(); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("error %v", err)
	}
}

// What cannot be read or written as a file is an error, and stays.
func TestConnectHostileFile(t *testing.T) {
	u := newUser(t, strings.Repeat(" ", 16<<20+1))
	if _, err := u.connect(); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("too large: error %v", err)
	}
	u.write("{}")
	if err := os.Chmod(u.path, 0o444); err != nil {
		t.Fatal(err)
	}
	plan, err := u.connect()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Apply(); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("read-only: error %v", err)
	}
	if err := os.Remove(u.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(u.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := u.connect(); err == nil {
		t.Error("a folder: no error")
	}
}

// Of several files, the one that is there counts, and the usual one first.
func TestPath(t *testing.T) {
	u := newUser(t, "")
	a := agent(t, "opencode")
	dir := filepath.Join(u.home, ".config", "opencode")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ file, want string }{
		{"", "opencode.json"},
		{"opencode.jsonc", "opencode.jsonc"},
		{"opencode.json", "opencode.json"},
	} {
		if step.file != "" {
			if err := os.WriteFile(filepath.Join(dir, step.file), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := a.path(); err != nil || filepath.Base(got) != step.want {
			t.Errorf("with %s it is %s, %v; want %s", step.file, got, err, step.want)
		}
	}
}

// The files are where the agents look for them, also when variables move them.
func TestPlaces(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the places are those of Linux")
	}
	tests := []struct{ agent, variable, want string }{
		{"claude", "", "/home/u/.claude.json"},
		{"claude", "CLAUDE_CONFIG_DIR", "/v/.claude.json"},
		{"codex", "", "/home/u/.codex/config.toml"},
		{"codex", "CODEX_HOME", "/v/config.toml"},
		{"copilot", "", "/home/u/.copilot/mcp-config.json"},
		{"copilot", "COPILOT_HOME", "/v/mcp-config.json"},
		{"cursor", "", "/home/u/.cursor/mcp.json"},
		{"gemini", "", "/home/u/.gemini/settings.json"},
		{"gemini", "GEMINI_CLI_HOME", "/v/.gemini/settings.json"},
		{"opencode", "", "/home/u/.config/opencode/opencode.json"},
		{"opencode", "XDG_CONFIG_HOME", "/v/opencode/opencode.json"},
		{"vscode", "", "/home/u/.config/Code/User/mcp.json"},
		{"windsurf", "", "/home/u/.codeium/windsurf/mcp_config.json"},
		{"zed", "", "/home/u/.config/zed/settings.json"},
		{"zed", "XDG_CONFIG_HOME", "/v/zed/settings.json"},
	}
	for _, test := range tests {
		t.Run(test.agent+test.variable, func(t *testing.T) {
			for _, name := range []string{"XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"} {
				t.Setenv(name, "")
			}
			t.Setenv("HOME", "/home/u")
			if test.variable != "" {
				t.Setenv(test.variable, "/v")
			}
			if got, err := agent(t, test.agent).path(); err != nil || got != test.want {
				t.Errorf("it is %s, %v; want %s", got, err, test.want)
			}
		})
	}
	t.Setenv("HOME", "")
	if _, err := agent(t, "cursor").path(); err == nil || !strings.Contains(err.Error(), "set HOME") {
		t.Errorf("without a home directory: error %v", err)
	}
}

// An agent is installed when its folder is there.
func TestInstalled(t *testing.T) {
	newUser(t, "")
	if !agent(t, "cursor").Installed() {
		t.Error("Cursor has a folder, and is not installed")
	}
	claude := agent(t, "claude")
	claude.programs = nil // it may be installed here
	if claude.Installed() {
		t.Error("the home directory alone makes Claude Code installed")
	}
}

// Every agent has either a file or a text, and its entry can be written by hand. The documentation names every
// agent, and has the entries as they are written.
func TestByHand(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	odd := Entry{`a"b`, []string{`C:\x\mcp-editord.exe`, "mcp", "--server", "a\"b"}}
	documented := []Entry{{"mcp-editord", []string{"/usr/local/bin/mcp-editord", "mcp"}}}
	for _, a := range Agents() {
		text, err := a.ByHand([]Entry{odd, mine[0]})
		if err != nil || !strings.Contains(text, `mcp-editord.exe`) || !strings.Contains(text, "/usr/bin/mcp-editord") {
			t.Errorf("%s: %s, %v", a.Name, text, err)
		}
		if !a.Printed() {
			config, err := a.format.decode([]byte(text))
			if err != nil || len(servers(config, a.place)) != 2 {
				t.Errorf("%s: %v in\n%s", a.Name, err, text)
			}
		}
		if !bytes.Contains(doc, []byte("\n| `"+a.Name+"`")) {
			t.Errorf("the table does not have %s", a.Name)
		}
		text, err = a.ByHand(documented)
		examples := []string{"cursor", "codex", "opencode", "codecompanion", "goose"}
		if err != nil || slices.Contains(examples, a.Name) && !bytes.Contains(doc, []byte("\n"+text+"```\n")) {
			t.Errorf("the entry of %s is not\n%s, %v", a.Name, text, err)
		}
	}
}
