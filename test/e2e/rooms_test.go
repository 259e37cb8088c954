//go:build linux || darwin

package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcp-editord/mcp-editord/"

// rooms says which of the other rooms each one may import (docs/architecture.md).
// Leaves, the rest of internal/, any of them may import.
var rooms = map[string][]string{
	"cmd/mcp-editord":        {"daemon", "internal/ipc", "editorapi", "mcpserver", "workspaceserver", "extensions/neovim", "extensions/vscode"},
	"daemon":                 {"internal/ipc", "editorapi", "editorapi/approvaltext", "mcpclient", "mcpclient/wire", "mcpclient/stdio", "mcpclient/streamable", "mcpclient/oauth", "roots", "config"},
	"internal/ipc":           {"editorapi"},
	"editorapi":              {},
	"editorapi/approvaltext": {"editorapi"},
	"mcpserver":              {"editorapi", "mcpclient/wire"},
	"mcpclient":              {"mcpclient/wire"},
	"mcpclient/wire":         {},
	"mcpclient/stdio":        {"mcpclient/wire"},
	"mcpclient/streamable":   {"mcpclient/wire"},
	"mcpclient/oauth":        {"mcpclient/wire"},
	"roots":                  {},
	"config":                 {},
	"workspaceserver":        {},
	"extensions/neovim":      {},
	"extensions/vscode":      {},
}

// libraries says which rooms may import what is written by others and decides how a room is built.
var libraries = map[string][]string{
	"go.lsp.dev/": {"editorapi"},
	"github.com/modelcontextprotocol/go-sdk/": {"workspaceserver", "mcpclient/oauth"},
	"github.com/fsnotify/fsnotify":            {"internal/fswatch"},
	"github.com/spf13/cobra":                  {"cmd/mcp-editord"},
	"github.com/zalando/go-keyring":           {"internal/secrets"},
	"github.com/golang-jwt/jwt/":              {"mcpclient/oauth"},
}

// The parts of the program know of one another only what the architecture says.
func TestRooms(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("listing the packages: %v", err)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		if within(name, "test") {
			continue // programs over the whole
		}
		may, isRoom := rooms[name]
		if isRoom {
			found++
		} else if !within(name, "internal") {
			t.Errorf("%s is neither a room nor in internal/", name)
		}
		for _, path := range fields[1:] {
			imported, ours := strings.CutPrefix(path, module)
			_, leadsToRoom := rooms[imported]
			leaf := within(imported, "internal") && !leadsToRoom
			if ours && !leaf && !slices.Contains(may, imported) {
				t.Errorf("%s imports %s, which the architecture does not allow", name, imported)
			}
			for library, users := range libraries {
				if strings.HasPrefix(path, library) && !slices.Contains(users, name) {
					t.Errorf("%s imports %s, which only %v may", name, path, users)
				}
			}
		}
	}
	if found != len(rooms) {
		t.Errorf("found %d rooms, want %d", found, len(rooms))
	}
}

// within tells whether a package is at a path or below it.
func within(name, path string) bool { return name == path || strings.HasPrefix(name, path+"/") }
