// Package ring keeps what was added last, such as the lines of a log. A [Ring] never holds more
// elements, nor elements of more bytes together, than its limits.
package ring

import "sync"

// Ring holds the elements that were added last. It is safe for concurrent use.
type Ring[E any] struct {
	most, maxBytes int
	size           func(E) int

	// mu guards the fields that follow.
	mu       sync.Mutex
	elements []E   // the oldest first
	bytes    int   // of the elements
	added    int64 // elements so far, including those that are gone
}

// Of returns an empty Ring for at most most elements, of at most maxBytes bytes together. Both are
// positive. size returns the bytes of an element, the same each time.
func Of[E any](most, maxBytes int, size func(E) int) *Ring[E] {
	return &Ring[E]{most: most, maxBytes: maxBytes, size: size}
}

// Add appends e and drops the oldest elements that have no room left. An element that alone exceeds
// the limit of bytes is gone at once, with all that came before it.
func (r *Ring[E]) Add(e E) {
	size := r.size(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.elements) > 0 && (len(r.elements) == r.most || r.bytes+size > r.maxBytes) {
		var none E
		r.bytes -= r.size(r.elements[0])
		r.elements[0] = none // let go of what it holds
		r.elements = r.elements[1:]
	}
	r.added++
	if size <= r.maxBytes {
		r.elements = append(r.elements, e) // which copies them now and then, and leaves behind what is gone
		r.bytes += size
	}
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
	n = int(max(0, min(r.added-seen, int64(min(n, len(r.elements))))))
	first := len(r.elements)
	for bytes := 0; first > len(r.elements)-n; first-- {
		if bytes += r.size(r.elements[first-1]); bytes > maxBytes {
			break
		}
	}
	return append([]E{}, r.elements[first:]...), r.added
}
