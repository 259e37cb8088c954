package ipc

import (
	"path/filepath"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
)

// A server, and what it starts, knows the daemon that runs it, and no other one.
func TestUnderDaemon(t *testing.T) {
	p, other := tempPaths(t), tempPaths(t)
	openListener(t, p)
	byDefault := p
	byDefault.Socket = filepath.Join(p.StateDir, "default.sock")
	environ := []string{"PATH=/bin", "MCP_EDITORD_CHILD=" + string(p.ServerOwner()) + "/x"} // as procgroup marks a server
	for _, test := range []struct {
		name    string
		p       Paths
		environ []string
		want    bool
	}{
		{"its own daemon", p, environ, true},
		{"its own daemon, whose socket it was not told", byDefault, environ, true},
		{"another daemon", other, environ, false},
		{"no server", p, environ[:1], false},
		{"a server that was freed of its daemon", p, procgroup.Unmarked(environ), false},
	} {
		if got := UnderDaemon(test.p, test.environ); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
