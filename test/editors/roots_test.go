//go:build linux || darwin

package editors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A server is told of the folders that the editor works in, also of one that it comes to later.
func TestRoots(t *testing.T) {
	each(t, func(t *testing.T, e editor) {
		w := newWorld(t, fakeserver.Script{Plain: true})
		other := filepath.Join(w.dir, "other")
		w.write("a.mcp", "call: fake.echo\n")
		w.write(filepath.Join(other, "b.mcp"), "call: fake.echo\n")
		if err := os.Mkdir(filepath.Join(other, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		e.start(w, "a.mcp")
		e.visit(other, "b.mcp")
		roots := func() string { return w.run("roots", "fake", "--json") }
		if !await(func() bool { return strings.Contains(roots(), "file://"+other) }) {
			t.Errorf("the server was never told of %s:\n%s", other, roots())
		}
	})
}
