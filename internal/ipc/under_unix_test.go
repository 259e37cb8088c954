//go:build linux || darwin

package ipc

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
)

func TestMain(m *testing.M) {
	procgroup.Supervise()
	os.Exit(m.Run())
}

// A server, and what it starts, knows the daemon that runs it, and no other one.
func TestUnderDaemon(t *testing.T) {
	p, other := tempPaths(t), tempPaths(t)
	openListener(t, p)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	server, err := p.ServerOwner().Start(procgroup.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", "(env); exit"}, Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: in,
	})
	in.Close()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	<-server.Done()
	environ := strings.Split(string(text), "\n")

	byDefault := p
	byDefault.Socket = filepath.Join(p.StateDir, "default.sock")
	for _, test := range []struct {
		name    string
		p       Paths
		environ []string
		want    bool
	}{
		{"its own daemon", p, environ, true},
		{"its own daemon, whose socket it was not told", byDefault, environ, true},
		{"another daemon", other, environ, false},
		{"no server", p, os.Environ(), false},
		{"a server that was freed of its daemon", p, procgroup.Unmarked(environ), false},
	} {
		if got := UnderDaemon(test.p, test.environ); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
