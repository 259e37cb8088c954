package safetext

import (
	"strings"

	"golang.org/x/text/width"
)

// Columns returns how many columns of a screen a text takes. A character that takes none, such as an
// accent over the one before, counts as one, so the number is never too small.
func Columns(s string) int {
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

// CutColumns returns as much of the beginning of s as fits into most columns.
func CutColumns(s string, most int) string {
	n := 0
	for i, r := range s {
		if n += columnsOf(r); n > most {
			return s[:i]
		}
	}
	return s
}

// Wrap breaks a text without line breaks into lines of at most most columns, and goes over it once. All but
// the first begin with indent, which must be ASCII and much shorter than a line.
func Wrap(s string, most int, indent string) (lines []string) {
	before := ""
	for {
		line := CutColumns(s, most-len(before))
		if len(line) == len(s) {
			return append(lines, before+line)
		}
		if at := strings.LastIndexByte(line, ' '); at > len(line)/2 {
			line = line[:at+1]
		}
		lines = append(lines, before+line)
		s, before = s[len(line):], indent
	}
}
