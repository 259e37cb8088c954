package editorapi

import (
	"math"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// How much a message box may show. Helix 25.07 crashes over a longer one, or shows its actions where nobody
// sees them.
const (
	boxLines      = 5
	boxTitleLines = 3
	boxColumns    = 76
	boxIndent     = "    "
)

// boxText returns what a box says: a title, as much of the body as there is room for, and the notes, each on
// lines of its own. all says that nothing of it was cut. Empty notes are left out.
func boxText(title, body string, notes ...string) (text string, all bool) {
	all = true
	lines := boxWrap(title)
	if len(lines) > boxTitleLines {
		lines, all = cutLines(lines, boxTitleLines), false
	}
	var end []string
	for _, note := range notes {
		if note != "" {
			end = append(end, boxWrap(note)...)
		}
	}
	var middle []string
	if body != "" {
		for line := range strings.SplitSeq(body, "\n") {
			middle = append(middle, boxWrap(line)...)
		}
	}
	if room := max(0, boxLines-len(lines)-len(end)); len(middle) > room {
		middle, all = cutLines(middle, room), false
	}
	lines = append(append(lines, middle...), end...)
	if len(lines) > boxLines {
		lines, all = cutLines(lines, boxLines), false
	}
	return strings.Join(lines, "\n"), all
}

// boxWrap returns the lines of one line.
func boxWrap(line string) []string {
	return safetext.Wrap(safetext.Line(line, math.MaxInt), boxColumns, boxIndent)
}

// cutLines returns the first most lines, the last of which says that there are more.
func cutLines(lines []string, most int) []string {
	if most == 0 {
		return nil
	}
	lines = append([]string(nil), lines[:most]...)
	lines[most-1] = safetext.CutColumns(lines[most-1], boxColumns-1) + "…"
	return lines
}
