//go:build linux || darwin

package e2e

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A lane is a version of MCP on a transport, as they stand in a configuration.
type lane struct{ version, transport string }

func (l lane) String() string { return l.version + "/" + l.transport }

// coverageLanes are those that docs/mcp.md promises under Versions.
func coverageLanes() []lane {
	return []lane{
		{"2024-10-07", "stdio"}, {"2024-10-07", "sse"},
		{"2024-11-05", "stdio"}, {"2024-11-05", "sse"},
		{"2025-03-26", "stdio"}, {"2025-03-26", "http"}, {"2025-03-26", "sse"},
		{"2025-06-18", "stdio"}, {"2025-06-18", "http"}, {"2025-06-18", "sse"},
		{"2025-11-25", "stdio"}, {"2025-11-25", "http"}, {"2025-11-25", "sse"},
		{"2026-07-28", "stdio"}, {"2026-07-28", "http"},
	}
}

// A check is one thing that is seen of a feature, on each lane where it holds.
type check struct {
	row  int    // of the features in docs/mcp.md
	part string // of the feature, as its versions name it; "" is all of it
	name string

	from, until string   // versions; "" is no bound
	on          []string // transports; nil is all

	run func(*stand)
}

// id is the name of the check's tests.
func (c check) id() string { return fmt.Sprintf("row%02d_%s", c.row, c.name) }

// covers tells whether the check runs on a lane.
func (c check) covers(l lane) bool {
	return l.version >= c.from && (c.until == "" || l.version <= c.until) &&
		(c.on == nil || slices.Contains(c.on, l.transport))
}

// TestCoverage runs every feature of docs/mcp.md through the real daemon in every
// version on every transport that the documentation promises, and fails for what is
// promised and not run. A lane is a world with one daemon, whose server is written with
// the official SDK; where a server has to misbehave it is the project's fake one.
// The tests are named TestCoverage/<version>/<transport>/row<nn>_<name>.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("it is not about a promise of docs/promises.md")
	}
	t.Parallel()
	sdkserver := filepath.Join(t.TempDir(), "sdkserver")
	if out, err := exec.Command("go", "build", "-o", sdkserver, module+"test/testkit/sdkserver").CombinedOutput(); err != nil {
		t.Fatalf("building sdkserver: %v\n%s", err, out)
	}
	docs := readFeatures(t)
	result := outcomes{ran: map[string]bool{}}
	var lanes sync.WaitGroup
	turn := make(chan struct{}, lanesAtATime)
	for _, l := range coverageLanes() {
		lanes.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			t.Run(l.String(), func(t *testing.T) { result.seeAll(newStand(t, l, sdkserver)) })
		})
	}
	lanes.Wait()
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "/") { // a run of only some tests is not judged
		result.judge(t, docs)
	}
}

// lanesAtATime may be more than there are processors: much of what is seen is that
// something waits.
const lanesAtATime = 5

// outcomes is which checks have run where.
type outcomes struct {
	mu  sync.Mutex      // guards ran
	ran map[string]bool // by check and lane
}

func key(c check, l lane) string { return c.id() + " " + l.String() }

// seeAll runs the checks of a lane, one after the other.
func (o *outcomes) seeAll(s *stand) {
	for _, c := range coverageTable() {
		if !c.covers(s.lane) {
			continue
		}
		s.t.Run(c.id(), func(t *testing.T) {
			c.run(s.of(t, c))
			o.mu.Lock()
			defer o.mu.Unlock()
			o.ran[key(c, s.lane)] = true
		})
	}
}

// judge fails for what the documentation promises and no check has shown, and for a check of what it does
// not have.
func (o *outcomes) judge(t *testing.T, docs []feature) {
	for _, c := range coverageTable() {
		if !slices.ContainsFunc(docs, func(f feature) bool { return f.promises(c) }) {
			t.Errorf("%s shows part %q of row %d, which docs/mcp.md does not have", c.id(), c.part, c.row)
		}
	}
	for _, f := range docs {
		for _, part := range f.parts {
			for _, l := range coverageLanes() {
				shown := slices.ContainsFunc(coverageTable(), func(c check) bool {
					return c.row == f.row && c.part == part.name && o.ran[key(c, l)]
				})
				if part.covers(l.version) && !shown && !slices.Contains(notOn[f.row], l.transport) {
					t.Errorf("docs/mcp.md promises row %d (%s) %s at %s, and nothing has shown it", f.row, f.name, part.name, l)
				}
			}
		}
	}
}
