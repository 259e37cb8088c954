//go:build linux || darwin

package editors

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const module = "github.com/mcp-editord/mcp-editord/"

// The folder of the binaries that TestMain builds, "" when nothing is built.
var binaries string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if os.Getenv("MCP_EDITORD_TEST_EDITORS") == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "mcp-editord-editors-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	args := append([]string{"build", "-o", dir + string(filepath.Separator)}, raceFlags()...)
	args = append(args, module+"cmd/mcp-editord", module+"test/testkit/fakeserver/cmd/fakeserver")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building mcp-editord: %v\n%s", err, out)
		return 1
	}
	binaries = dir
	return m.Run()
}

// program returns the path of an editor, or of tmux. It skips the test where there is none.
func program(t *testing.T, names ...string) string {
	t.Helper()
	folder := os.Getenv("MCP_EDITORD_TEST_EDITORS")
	if folder == "" {
		t.Skip("MCP_EDITORD_TEST_EDITORS does not name the editors; run make test-editors")
	}
	for _, in := range []string{folder, ""} {
		for _, name := range names {
			if path, err := exec.LookPath(filepath.Join(in, name)); err == nil {
				return path
			}
		}
	}
	t.Skipf("%q is neither in %s nor in PATH", names, folder)
	return ""
}
