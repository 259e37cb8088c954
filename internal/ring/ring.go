// Package ring keeps the last lines of a log.
//
// Invariants:
//
//   - [Lines] never holds more lines, nor more bytes of text, than its limits.
//   - It keeps part of a line that alone exceeds the limit of bytes, with a mark that
//     says so.
package ring

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// cutMark ends a line that was cut.
const cutMark = " [cut]"

// Lines holds the lines that were added last. It is safe for concurrent use.
type Lines struct {
	maxLines, maxBytes int

	// mu guards the fields that follow.
	mu    sync.Mutex
	lines []string // a circle once it has maxLines elements
	first int      // index of the oldest line
	count int
	bytes int   // of text in the lines
	added int64 // lines so far, including those that are gone
}

// New returns an empty Lines for at most maxLines lines with at most maxBytes
// bytes of text together. Both must be positive, and maxBytes must have room for
// the mark of a cut line (6 bytes).
func New(maxLines, maxBytes int) *Lines {
	if maxLines <= 0 || maxBytes < len(cutMark) {
		panic("ring.New: no room for a line")
	}
	return &Lines{maxLines: maxLines, maxBytes: maxBytes}
}

// Add appends line and drops the oldest lines that have no room left.
func (l *Lines) Add(line string) {
	if len(line) > l.maxBytes {
		line = cut(line, l.maxBytes-len(cutMark)) + cutMark
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.count > 0 && (l.count == l.maxLines || l.bytes+len(line) > l.maxBytes) {
		l.drop()
	}
	at := (l.first + l.count) % l.maxLines
	if at == len(l.lines) {
		l.lines = append(l.lines, line) // still growing to maxLines
	} else {
		l.lines[at] = line
	}
	l.count++
	l.bytes += len(line)
	l.added++
}

// Last returns the last n lines, or as many as there are, the oldest first.
func (l *Lines) Last(n int) []string {
	lines, _ := l.Since(0, n, l.maxBytes)
	return lines
}

// Since leaves out the first seen lines ever added and returns the last of the others, the
// oldest first: at most n, with at most maxBytes of text together. added is the number of lines
// so far; pass it as seen next time.
func (l *Lines) Since(seen int64, n, maxBytes int) (lines []string, added int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = int(max(0, min(l.added-seen, int64(min(n, l.count)))))
	fit := 0
	for bytes := 0; fit < n; fit++ {
		if bytes += len(l.at(l.count - 1 - fit)); bytes > maxBytes {
			break
		}
	}
	lines = make([]string, fit)
	for i := range lines {
		lines[i] = l.at(l.count - fit + i)
	}
	return lines, l.added
}

// at returns line i, counted from the oldest. The caller holds mu.
func (l *Lines) at(i int) string { return l.lines[(l.first+i)%l.maxLines] }

// drop forgets the oldest line. The caller holds mu, and there is a line.
func (l *Lines) drop() {
	l.bytes -= len(l.lines[l.first])
	l.lines[l.first] = "" // let go of the text
	l.first = (l.first + 1) % l.maxLines
	l.count--
}

// cut returns a copy of at most n bytes of s, ending between two characters. A copy does not keep
// the long text alive.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}
