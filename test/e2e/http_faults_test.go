//go:build linux || darwin

package e2e

import (
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A server over HTTP that was restarted has forgotten the session; the call that
// finds that out works all the same.
func TestHTTPServerRestartedBetweenCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		s    fakeserver.Script
		most int // times that the two calls may be sent: one that was refused is sent again
	}{
		{"legacy, lost with 404", fakeserver.Script{}, 3},
		{"legacy, lost with 400", fakeserver.Script{HTTP: fakeserver.HTTPScript{LostStatus: 400}}, 3},
		{"modern", fakeserver.Script{ProtocolVersions: []string{"2026-07-28"}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.remoteFake("fake", tt.s)
			w.config(servers{"fake": r.definition()}.String())
			e := w.attach(in(mcpCapabilities, w.folder("project")))
			awaitReady(e, "fake")
			served(e, "fake")
			r.restart()
			served(e, "fake")
			if n := len(w.recorded("fake", "tools/call")); n < 2 || n > tt.most {
				t.Errorf("two calls were sent %d times, want at most %d", n, tt.most)
			}
		})
	}
}

// Fault version-mismatch: servers that do not answer, or end, when they are asked for the other era.
func TestServersThatCannotBearTheOtherEra(t *testing.T) {
	t.Parallel()
	legacy, modern := []string{"2025-11-25"}, []string{"2026-07-28"}
	tests := []struct {
		name     string
		versions []string
		method   string // of the other era
		do       object
		http     bool
	}{
		{"silent on discover, stdio", legacy, "server/discover", object{"do": "hang"}, false},
		{"exits on discover, stdio", legacy, "server/discover", object{"do": "exit", "code": 1}, false},
		{"silent on discover, HTTP", legacy, "server/discover", object{"do": "hang"}, true},
		{"breaks the connection on discover, HTTP", legacy, "server/discover", object{"do": "disconnect"}, true},
		{"another error for discover, HTTP", legacy, "server/discover", object{"do": "refuse", "code": -32603, "message": "?"}, true},
		{"refuses initialize, stdio", modern, "initialize", object{"do": "refuse", "code": -32601, "message": "what?"}, false},
		{"silent on initialize, HTTP", modern, "initialize", object{"do": "hang"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := fakeserver.Script{ProtocolVersions: tt.versions, Steps: steps(tt.method, tt.do)}
			definition := w.fakeServer("fake", s)
			if tt.http {
				definition = w.remoteFake("fake", s).definition()
			}
			w.config(servers{"fake": definition}.String())
			e := w.attach(in(mcpCapabilities, w.folder("project")))
			if got := awaitReady(e, "fake").ProtocolVersion; got != tt.versions[0] {
				t.Errorf("the server speaks %s, want %s", got, tt.versions[0])
			}
			served(e, "fake")
		})
	}
}

// Fault endless-list, over HTTP in both eras.
func TestListThatNeverEndsOverHTTP(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.remoteFake("loop", fakeserver.Script{LoopCursor: true, ProtocolVersions: []string{version}})
			w.config(servers{"loop": r.definition()}.String())
			e := w.attach(in(mcpCapabilities, w.folder("project")))
			awaitReady(e, "loop")
			_, err := e.Request("mcp/tools/list", object{"server": "loop"})
			if err == nil || !strings.Contains(err.Message, "twice") {
				e.Fatalf("the list that never ends: %v", err)
			}
			served(e, "loop")
		})
	}
}
