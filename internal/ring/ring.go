// Package ring keeps what was added last, such as the lines of a log.
//
// Invariants:
//
//   - A [Ring] never holds more elements, nor elements of more bytes together, than its
//     limits.
//   - [Lines] keeps part of a line that alone exceeds the limit of bytes, with a mark that
//     says so.
package ring

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Ring holds the elements that were added last. It is safe for concurrent use.
type Ring[E any] struct {
	most, maxBytes int
	size           func(E) int

	// mu guards the fields that follow.
	mu       sync.Mutex
	elements []E // a circle once it has most elements
	first    int // index of the oldest element
	count    int
	bytes    int   // of the elements
	added    int64 // elements so far, including those that are gone
}

// Of returns an empty Ring for at most most elements, of at most maxBytes bytes together. Both must be
// positive. size returns the bytes of an element, the same each time.
func Of[E any](most, maxBytes int, size func(E) int) *Ring[E] {
	if most <= 0 || maxBytes <= 0 {
		panic("ring.Of: no room for an element")
	}
	return &Ring[E]{most: most, maxBytes: maxBytes, size: size}
}

// Add appends e and drops the oldest elements that have no room left. An element that alone exceeds
// the limit of bytes is gone at once, with all that came before it.
func (r *Ring[E]) Add(e E) {
	size := r.size(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.count > 0 && (r.count == r.most || r.bytes+size > r.maxBytes) {
		r.drop()
	}
	r.added++
	if size > r.maxBytes {
		return
	}
	at := (r.first + r.count) % r.most
	if at == len(r.elements) {
		r.elements = append(r.elements, e) // still growing to most
	} else {
		r.elements[at] = e
	}
	r.count++
	r.bytes += size
}

// Last returns the last n elements, or as many as there are, the oldest first.
func (r *Ring[E]) Last(n int) []E {
	elements, _ := r.Since(0, n, r.maxBytes)
	return elements
}

// Since leaves out the first seen elements ever added and returns the last of the others, the
// oldest first: at most n, of at most maxBytes together. added is the number of elements so far;
// pass it as seen next time.
func (r *Ring[E]) Since(seen int64, n, maxBytes int) (elements []E, added int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = int(max(0, min(r.added-seen, int64(min(n, r.count)))))
	fit := 0
	for bytes := 0; fit < n; fit++ {
		if bytes += r.size(r.at(r.count - 1 - fit)); bytes > maxBytes {
			break
		}
	}
	elements = make([]E, fit)
	for i := range elements {
		elements[i] = r.at(r.count - fit + i)
	}
	return elements, r.added
}

// at returns element i, counted from the oldest. The caller holds mu.
func (r *Ring[E]) at(i int) E { return r.elements[(r.first+i)%r.most] }

// drop forgets the oldest element. The caller holds mu, and there is one.
func (r *Ring[E]) drop() {
	r.bytes -= r.size(r.elements[r.first])
	var none E
	r.elements[r.first] = none // let go of what it holds
	r.first = (r.first + 1) % r.most
	r.count--
}

// cutMark ends a line that was cut.
const cutMark = " [cut]"

// Lines is a [Ring] of lines, whose size is that of their text.
type Lines struct{ *Ring[string] }

// New returns an empty Lines for at most maxLines lines with at most maxBytes bytes of text
// together. Both must be positive, and maxBytes must have room for the mark of a cut line (6 bytes).
func New(maxLines, maxBytes int) *Lines {
	if maxBytes < len(cutMark) {
		panic("ring.New: no room for a line")
	}
	return &Lines{Of(maxLines, maxBytes, func(line string) int { return len(line) })}
}

// Add appends line and drops the oldest lines that have no room left. It cuts a line that alone
// exceeds the limit of bytes.
func (l *Lines) Add(line string) {
	if len(line) > l.maxBytes {
		line = cut(line, l.maxBytes-len(cutMark)) + cutMark
	}
	l.Ring.Add(line)
}

// cut returns a copy of at most n bytes of s, ending between two characters. A copy does not keep
// the long text alive.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}
