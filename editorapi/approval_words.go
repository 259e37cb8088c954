package editorapi

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/width"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	textColumns    = 76 // of a line
	maxNameColumns = 40 // of the name of a server in a title
	hanging        = "    "
)

// safe makes a text safe to show and leaves nothing out.
func safe(s string) string { return safetext.Line(s, math.MaxInt) }

// word shows a text so that where it ends is plain: as it is when that can be seen, else quoted.
func word(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./:@%+=-~${}?&#*", r)
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return quoted(s)
	}
	return s
}

// quoted shows a text between quotes. Of spaces in a row the third and all after it are written
// as escapes: nothing can be pushed out of sight.
func quoted(s string) string {
	var b strings.Builder
	spaces := 0
	for _, r := range safe(strconv.Quote(s)) {
		if spaces++; r != ' ' {
			spaces = 0
		}
		if spaces > 2 {
			b.WriteString(`\x20`)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// columns returns how many columns of a screen a text takes. A character that takes none,
// such as an accent over the one before, counts as one: what is said to fit does.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cutTo returns the beginning of a text that takes most columns at most.
func cutTo(s string, most int) string {
	n := 0
	for i, r := range s {
		if n += columnsOf(r); n > most {
			return s[:i]
		}
	}
	return s
}

// wrap returns a text, which has no line break, as lines of [textColumns] columns at most.
// All but the first are indented. It goes over the text once.
func wrap(s string) []string {
	var lines []string
	indent := ""
	for {
		line := cutTo(s, textColumns-len(indent))
		if len(line) == len(s) {
			return append(lines, indent+line)
		}
		if at := strings.LastIndexByte(line, ' '); at > len(line)/2 {
			line = line[:at+1]
		}
		lines = append(lines, indent+line)
		s, indent = s[len(line):], hanging
	}
}
