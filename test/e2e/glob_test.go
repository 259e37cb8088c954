//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// The directories of one burst are one notification, however many they are, and
// a server that asks at once is told all of them.
func TestManyNewRootsAreOneNotification(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	w.folder("project/packages")
	definition := w.fakeServer("fake", fakeserver.Script{Steps: map[string][]json.RawMessage{
		"notifications/roots/list_changed": {json.RawMessage(
			`{"do":"raw","lines":["{\"jsonrpc\":\"2.0\",\"id\":\"asked\",\"method\":\"roots/list\"}"]}`)},
	}})
	definition["roots"] = []string{"packages/*"}
	w.config(servers{"fake": definition}.String())
	e := w.attach(in(mcpCapabilities, folder))
	awaitReady(e, "fake")
	// told returns the number of roots in each answer to the server that asked
	// because it was notified.
	told := func() (counts []int) {
		for _, m := range w.recorded("fake", "") {
			if string(m.ID) == `"asked"` {
				counts = append(counts, strings.Count(string(m.Result), `"uri"`))
			}
		}
		return counts
	}

	const n = 200
	before, began := len(told()), time.Now()
	for i := range n {
		w.folder(fmt.Sprintf("project/packages/p%03d", i))
		if i%(n/5) == 0 {
			goOn(e, "fake", began, time.Duration(i)*burstPause*4/5/n)
		}
	}
	most := bursts(time.Since(began))
	await(t, "the server has been told of all of them", func() bool { return slices.Contains(told(), n) })
	if got := told()[before:]; len(got) > most {
		t.Errorf("the server was told of %v roots, one notification each, want at most %d", got, most)
	}
	// Nothing was on its way any more.
	w.folder("project/packages/last")
	await(t, "the server has been told of the last one", func() bool { return slices.Contains(told(), n+1) })
	if got := told()[before:]; !slices.Equal(got[len(got)-2:], []int{n, n + 1}) {
		t.Errorf("the server was told of %v roots, want %d and then one more", got, n)
	}
}

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
