//go:build linux || darwin

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A feature is a row of the features in docs/mcp.md.
type feature struct {
	row   int
	name  string
	parts []part
}

// A part of a feature is promised from a version on, until another; "" is no bound.
// The part without a name is the whole feature.
type part struct{ name, from, until string }

func (p part) covers(version string) bool {
	return version >= p.from && (p.until == "" || version <= p.until)
}

// promises tells whether a check shows a part of this feature.
func (f feature) promises(c check) bool {
	return c.row == f.row && slices.ContainsFunc(f.parts, func(p part) bool { return p.name == c.part })
}

// The column of versions has the whole feature, and after each semicolon a part of it: a
// name and the versions. These are "all", one version, or "<version> on"; before them
// may stand "at".
var versionsOf = regexp.MustCompile(`^(?:(.+?) )?(?:at )?(?:(all)|(\d{4}-\d\d-\d\d)( on)?)$`)

// parseParts reads a cell of the column of versions, false when it is not as it should be.
func parseParts(cell string) (parts []part, ok bool) {
	for _, text := range strings.Split(cell, ";") {
		m := versionsOf.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil || (m[1] == "") != (len(parts) == 0) {
			return nil, false
		}
		p := part{name: m[1], from: m[3]}
		if m[4] == "" {
			p.until = m[3]
		}
		parts = append(parts, p)
	}
	return parts, true
}

// readFeatures reads the features in docs/mcp.md, whose versions must be those of the lanes.
func readFeatures(t *testing.T) (features []feature) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lanes []lane
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "| ") || len(cells) < 3 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if row, err := strconv.Atoi(cells[0]); err == nil {
			parts, ok := parseParts(cells[2])
			if !ok {
				t.Fatalf("row %d of docs/mcp.md has the versions %q, which cannot be read", row, cells[2])
			}
			features = append(features, feature{row, cells[1], parts})
			continue
		}
		for _, version := range regexp.MustCompile(`\d{4}-\d\d-\d\d`).FindAllString(cells[0], -1) {
			for _, transport := range strings.Split(cells[2], ", ") {
				l := lane{version, map[string]string{"stdio": "stdio", "Streamable HTTP": "http", "HTTP+SSE": "sse"}[transport]}
				if !slices.Contains(lanes, l) {
					lanes = append(lanes, l)
				}
			}
		}
	}
	if len(features) == 0 || !sameLanes(lanes, coverageLanes()) {
		t.Fatalf("docs/mcp.md has %d features, and promises the lanes\n%v, the test has\n%v", len(features), lanes, coverageLanes())
	}
	return features
}

func sameLanes(a, b []lane) bool {
	contains := func(list, in []lane) bool {
		return !slices.ContainsFunc(list, func(l lane) bool { return !slices.Contains(in, l) })
	}
	return contains(a, b) && contains(b, a)
}
