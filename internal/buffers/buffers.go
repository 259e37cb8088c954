// Package buffers keeps the memory of large messages from one message to the next: to make it anew
// takes longer than to fill it.
//
// Invariants:
//
//   - What is kept, and used by nobody, is bounded: 8 MiB in all, and no buffer over 4 MiB.
//   - A buffer has one owner, from [Get] to [Put].
package buffers

import (
	"math/bits"
	"sync"
)

const (
	smallest = 16 // log2 of the bytes of the smallest buffers that are kept: 64 KiB
	largest  = 22 // and of the largest: 4 MiB

	maxKept = 8 << 20 // bytes
)

var kept struct {
	mu    sync.Mutex // guards the fields that follow
	bytes int
	free  [largest + 1 - smallest][][]byte // by log2 of their size
}

// Get returns an empty buffer with room for n bytes or more: up to twice as many, if it is of those
// that are kept, over 32 KiB and up to 4 MiB. What was in it before may still be there.
func Get(n int) []byte {
	size := max(bits.Len(uint(max(n, 1)-1)), smallest)
	if n <= 1<<(smallest-1) || size > largest {
		return make([]byte, 0, n)
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	free := &kept.free[size-smallest]
	if len(*free) == 0 {
		return make([]byte, 0, 1<<size)
	}
	last := len(*free) - 1
	b := (*free)[last]
	(*free)[last] = nil
	*free = (*free)[:last]
	kept.bytes -= cap(b)
	return b
}

// Put gives back a buffer that came from Get, or any other memory. The caller must not use it again.
func Put(b []byte) {
	size := bits.Len(uint(cap(b))) - 1
	if size < smallest || size > largest || cap(b) != 1<<size {
		return
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.bytes+cap(b) > maxKept {
		return
	}
	kept.bytes += cap(b)
	kept.free[size-smallest] = append(kept.free[size-smallest], b[:0])
}

// Drop lets go of all that is kept.
func Drop() {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.bytes = 0
	clear(kept.free[:])
}
