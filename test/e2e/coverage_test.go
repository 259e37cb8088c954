//go:build linux || darwin

package e2e

import (
	"flag"
	"fmt"
	"maps"
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
	sees string // in one line

	from, until string   // versions; "" is no bound
	on          []string // transports; nil is all

	// but are the lanes, of those that the documentation promises, where the check does
	// not run, and why.
	but map[string]string

	run func(*stand)
}

// id is the name of the check's tests.
func (c check) id() string { return fmt.Sprintf("row%02d_%s", c.row, c.name) }

// covers tells whether the check runs on a lane.
func (c check) covers(l lane) bool {
	return l.version >= c.from && (c.until == "" || l.version <= c.until) &&
		(c.on == nil || slices.Contains(c.on, l.transport))
}

// excuse returns why the check does not run on a lane, "" when nothing says so.
func (c check) excuse(l lane) string {
	for _, name := range []string{l.String(), l.version, l.transport} {
		if why := c.but[name]; why != "" {
			return why
		}
	}
	return ""
}

// TestCoverage runs every feature of docs/mcp.md through the real daemon in every
// version on every transport that the documentation promises, and fails for what is
// promised and not run. A lane is a world with one daemon, whose server is written with
// the official SDK; where a server has to misbehave it is the project's fake one.
// The tests are named TestCoverage/<version>/<transport>/row<nn>_<name>.
func TestCoverage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sdkserver := filepath.Join(dir, "sdkserver")
	if out, err := exec.Command("go", "build", "-o", sdkserver, module+"test/testkit/sdkserver").CombinedOutput(); err != nil {
		t.Fatalf("building sdkserver: %v\n%s", err, out)
	}
	docs := readFeatures(t)
	result := outcomes{ran: map[string]string{}}
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
	result.judge(t, docs)
}

// lanesAtATime may be more than there are processors: much of what is seen is that
// something waits.
const lanesAtATime = 5

// seeAll runs the checks of a lane, one after the other.
func (o *outcomes) seeAll(s *stand) {
	for _, c := range coverageTable() {
		if !c.covers(s.lane) {
			continue
		}
		ok := false
		passed := s.t.Run(c.id(), func(t *testing.T) {
			c.run(s.of(t, c))
			ok = !t.Skipped()
		})
		o.note(c, s.lane, ok, passed)
	}
}

// outcomes is what has become of the checks.
type outcomes struct {
	mu  sync.Mutex        // guards ran
	ran map[string]string // by check and lane
}

func key(c check, l lane) string { return c.id() + " " + l.String() }

// note takes how a check has ended. One that was left out by -run, or skipped, has
// not run.
func (o *outcomes) note(c check, l lane, ok, passed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case !passed:
		o.ran[key(c, l)] = "FAIL"
	case ok:
		o.ran[key(c, l)] = "ok"
	}
}

// judge prints what was seen, and fails for what the documentation promises and no
// check has shown. A run of only some tests is not judged.
func (o *outcomes) judge(t *testing.T, docs []feature) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.Logf("what was seen of docs/mcp.md:\n%s", o.table())
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return
	}
	for _, c := range coverageTable() {
		if !slices.ContainsFunc(docs, func(f feature) bool { return f.promises(c) }) {
			t.Errorf("%s shows part %q of row %d, which docs/mcp.md does not have", c.id(), c.part, c.row)
		}
		for _, l := range coverageLanes() {
			if c.covers(l) && c.excuse(l) != "" {
				t.Errorf("%s runs at %s, and the table says why not", c.id(), l)
			}
		}
	}
	for _, f := range docs {
		for _, part := range f.parts {
			for _, l := range coverageLanes() {
				if part.covers(l.version) && !o.shown(f.row, part.name, l) {
					t.Errorf("docs/mcp.md promises row %d (%s) %s at %s, and nothing has shown it", f.row, f.name, part.name, l)
				}
			}
		}
	}
}

// shown tells whether a check of a part of a row has run on a lane, or says why not.
func (o *outcomes) shown(row int, part string, l lane) bool {
	return slices.ContainsFunc(coverageTable(), func(c check) bool {
		return c.row == row && c.part == part && (o.ran[key(c, l)] != "" || c.excuse(l) != "")
	})
}

// table is what was seen as text: checks by lanes.
func (o *outcomes) table() string {
	var text strings.Builder
	for i, l := range coverageLanes() {
		fmt.Fprintf(&text, "%*s %s\n", 5*i+5, "|", l)
	}
	for _, c := range coverageTable() {
		for _, l := range coverageLanes() {
			ran := o.ran[key(c, l)]
			switch {
			case ran == "" && c.excuse(l) != "":
				ran = "n/a"
			case ran == "":
				ran = "-"
			}
			fmt.Fprintf(&text, "%5s", ran)
		}
		fmt.Fprintf(&text, "  %s: %s\n", c.id(), c.sees)
	}
	for _, c := range coverageTable() {
		for _, where := range slices.Sorted(maps.Keys(c.but)) {
			fmt.Fprintf(&text, "n/a %s at %s: %s\n", c.id(), where, c.but[where])
		}
	}
	return text.String()
}
