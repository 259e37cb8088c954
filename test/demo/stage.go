package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mcp-editord/mcp-editord/test/testkit/place"
)

// A stage is where the demonstration happens: a place with a workspace.
type stage struct {
	*place.Place
	workspace string
}

// files are the configuration, with the built-in server and its folders, and the sample workspace.
var files = map[string]string{
	"mcp.json": `{
  // what the server may look at: the folder itself and each package
  "servers": { "workspace": { "enabled": true, "roots": ["${workspaceFolder}", "packages/*"] } },
}
`,
	"coffee/README.md":                "# Coffee\n\nTakes orders for coffee.\n",
	"coffee/main.go":                  "package main\n\nfunc main() { order(\"espresso\") }\n",
	"coffee/packages/orders/order.go": "package orders\n\n// TODO: prices\nfunc order(what string) {}\n",
}

func newStage(binary string) (*stage, error) {
	p, err := place.New("mcp-editord-demo-", binary)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		path := filepath.Join(p.Dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(p.Dir))
		}
	}
	return &stage{p, filepath.Join(p.Dir, "coffee")}, nil
}

// command returns mcp-editord with these arguments, in the workspace.
func (s *stage) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := s.Command(ctx, args...)
	cmd.Dir = s.workspace
	return cmd
}

// running tells whether a process exists and has not ended.
func running(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return !bytes.Contains(stat, []byte(") Z "))
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// endsSoon tells whether a process that is about to end does so within a second.
func endsSoon(pid int) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 100 {
		if !running(pid) {
			return true
		}
		<-tick.C
	}
	return false
}
