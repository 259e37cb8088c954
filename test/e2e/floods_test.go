//go:build linux || darwin

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Promise 8: a person is asked so often and no more, and is told how often they have said no.
// What is over the limit is refused with a reason, in both eras.
func TestPromise8FloodOfQuestions(t *testing.T) {
	t.Parallel()
	const limit, over = 30, 10
	form := object{"message": "m", "requestedSchema": object{"type": "object", "properties": object{}}}
	for _, tt := range []struct {
		version, tool string
		arguments     object
	}{
		{"2025-11-25", "ask_elicitation", object{"params": form}},
		{firstModern, "ask_inputs", object{"inputs": object{"it": object{"method": "elicitation/create", "params": form}}}},
	} {
		t.Run(tt.version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{ProtocolVersions: []string{tt.version}})}.String())
			o := in(everyCapability, w.folder("project"))
			o.Answers = answers{elicitation: always(`{"action":"decline"}`)}
			e := w.attach(o)
			awaitReady(e, "fake")
			refused := 0
			for range limit + over {
				result, err := e.Request("mcp/tools/call", toolCall("fake", tt.tool, tt.arguments))
				if strings.Contains(fmt.Sprint(string(result), err), "elicitationLimit") {
					refused++
				}
			}
			var counts []int
			for _, m := range e.Messages() {
				var q struct{ Refused int }
				if m.Method == elicitation {
					unmarshal(t, m.Params, &q)
					counts = append(counts, q.Refused)
				}
			}
			if len(counts) != limit || refused != over {
				t.Errorf("%d questions reached the editor and %d were refused, want %d and %d", len(counts), refused, limit, over)
			}
			for i, n := range counts {
				if n != i {
					t.Fatalf("the questions said that %v were refused before them", counts)
				}
			}
		})
	}
}
