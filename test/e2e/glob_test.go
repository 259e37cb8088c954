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

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Events with pauses shorter than these belong together for the roots, with
// room for what the daemon itself is late.
const (
	shortPause = 50 * time.Millisecond
	shortBurst = 500 * time.Millisecond // all together
)

// The directories of one burst are one notification, however many they are, and
// a server that asks at once is told all of them.
func TestManyNewRootsAreOneNotification(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := w.folder("project")
	packages := w.folder("project/packages")
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
	before := len(told())
	for !makeAtOnce(t, packages, n) { // the machine was busy: that was no burst
		await(t, "the server has been told of nothing", func() bool {
			got := told()
			return len(rootsOf(e, "fake")) == 0 && (len(got) == before || got[len(got)-1] == 0)
		})
		before = len(told())
	}
	await(t, "the server has been told", func() bool { return len(told()) > before })
	w.folder("project/packages/last")
	await(t, "the server has been told of the last one", func() bool { return slices.Contains(told(), n+1) })
	if got := told()[before:]; !slices.Equal(got, []int{n, n + 1}) {
		t.Errorf("the server was told of %v roots, one notification each, want %d and then one more", got, n)
	}
}

// makeAtOnce makes n directories in parent. When they do not become one burst it
// removes them and returns false.
func makeAtOnce(t *testing.T, parent string, n int) bool {
	t.Helper()
	begin := time.Now()
	last, atOnce := begin, true
	for i := range n {
		if err := os.Mkdir(filepath.Join(parent, fmt.Sprintf("p%03d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		atOnce = atOnce && now.Sub(last) < shortPause
		last = now
	}
	if atOnce && last.Sub(begin) < shortBurst {
		return true
	}
	for i := range n {
		if err := os.Remove(filepath.Join(parent, fmt.Sprintf("p%03d", i))); err != nil {
			t.Fatal(err)
		}
	}
	return false
}
