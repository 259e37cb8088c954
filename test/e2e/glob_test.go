//go:build linux || darwin

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// What a glob leaves out is a problem of its server: an editor is told, the terminal shows it, and
// it goes away when there is room again.
func TestRootsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	for i := range 1001 {
		w.folder(fmt.Sprintf("project/packages/p%04d", i))
	}
	definition := w.fakeServer("fake", fakeserver.Script{})
	definition["roots"] = []string{"packages/*"}
	w.config(servers{"fake": definition}.String())
	e := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "fake")
	problems := func() []string { return server(e, "fake").Problems }
	await(t, "the editor is told of the problem", func() bool { return len(problems()) == 1 })
	last := filepath.Join(folder, "packages/p1000")
	for _, want := range []string{"roots are left out", "1,000", last, "make the globs narrower"} {
		if got := problems()[0]; !strings.Contains(got, want) {
			t.Errorf("the problem is %q, want %q in it", got, want)
		}
	}
	for _, command := range [][]string{{"status"}, {"servers", "--folder", folder}} {
		if out, errOut, _ := w.run(command...); !strings.Contains(out, "make the globs narrower") {
			t.Errorf("mcp-editord %s does not show the problem:\n%s%s", command[0], out, errOut)
		}
	}
	if err := os.Remove(filepath.Join(folder, "packages/p0000")); err != nil {
		t.Fatal(err)
	}
	await(t, "the problem is over", func() bool { return len(problems()) == 0 })
	if got := rootsOf(e, "fake"); len(got) != 1000 || got[999] != fileuri.FromPath(last) {
		t.Errorf("there are %d roots, the last is %s", len(got), got[len(got)-1])
	}
}
