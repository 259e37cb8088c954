//go:build linux || darwin

package e2e

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// An agent in a folder that is gone, such as a worktree, gets the servers of its user all the same.
func TestAgentInAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	p := w.spawnAs(func(cmd *exec.Cmd) {
		cmd.Dir = w.folder("worktree")
		cmd.Args = append([]string{"sh", "-c", `rmdir "$PWD" && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}, "mcp")
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fake__echo","arguments":{"n":17}}}`,
	} {
		if _, err := fmt.Fprintln(p, line); err != nil {
			t.Fatal(err)
		}
	}
	for lines := bufio.NewReader(p); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("it has ended: %v\n%s", err, p.stderr.String())
		}
		if strings.Contains(line, `"id":1`) {
			if !strings.Contains(line, `"n":17`) {
				t.Errorf("the call gives %s", line)
			}
			break
		}
	}
}
