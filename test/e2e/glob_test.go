//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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
