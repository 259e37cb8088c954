// Package budget bounds the bytes that several parts of a program hold together.
//
// Invariants:
//
//   - What is used of a [Budget] is never more than its limit, nor is what its children use
//     together ever more than its own.
//   - Nothing waits: what does not fit is refused, and whoever wanted it says so to
//     whoever sent it.
//   - A nil *Budget has no limit and counts nothing.
package budget

import "sync/atomic"

// A Budget is a number of bytes. It is safe for concurrent use.
type Budget struct {
	parent *Budget // nil for the outermost
	limit  int64
	used   atomic.Int64
}

// New returns a budget of limit bytes.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Child returns a budget of limit bytes, which are also those of b.
func (b *Budget) Child(limit int64) *Budget { return &Budget{parent: b, limit: limit} }

// Used returns how many bytes are in use.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Acquire takes n bytes of b and of all budgets that it is part of, or none of any. It tells
// whether it did. What was taken is given back by [Budget.Release].
func (b *Budget) Acquire(n int) bool {
	if b == nil {
		return true
	}
	if b.used.Add(int64(n)) > b.limit || !b.parent.Acquire(n) {
		b.used.Add(-int64(n))
		return false
	}
	return true
}

// Release gives back n bytes.
func (b *Budget) Release(n int) {
	for ; b != nil; b = b.parent {
		if b.used.Add(-int64(n)) < 0 {
			panic("budget: more was released than acquired")
		}
	}
}

// A Claim is what one holder has of a budget. It is for one goroutine at a time.
type Claim struct {
	of *Budget
	n  int
}

// Claim returns a claim of nothing.
func (b *Budget) Claim() Claim { return Claim{of: b} }

// Grow takes n bytes more, and tells whether there were as many.
func (c *Claim) Grow(n int) bool {
	if !c.of.Acquire(n) {
		return false
	}
	c.n += n
	return true
}

// Adopt makes n bytes part of c that somebody has acquired of the same budget.
func (c *Claim) Adopt(n int) { c.n += n }

// Shrink gives back n bytes of those that were taken.
func (c *Claim) Shrink(n int) {
	if n > c.n {
		panic("budget: more was given back than taken")
	}
	c.of.Release(n)
	c.n -= n
}

// Release gives back everything. The claim may be used again.
func (c *Claim) Release() { c.Shrink(c.n) }

// Append appends part to b, whose buffer is what c has; together they have at most
// limit bytes. The buffer doubles up to half the limit and then takes all of it, so
// that the old and the new one are never two limits together. It is not ok when there
// is no memory left, and b then as it was.
func (c *Claim) Append(b, part []byte, limit int) (_ []byte, ok bool) {
	if need := len(b) + len(part); need > cap(b) {
		size := 2 * need
		if size > limit/2 {
			size = limit
		}
		if !c.Grow(size) {
			return b, false
		}
		grown := make([]byte, len(b), size)
		copy(grown, b)
		c.Shrink(cap(b))
		b = grown
	}
	return append(b, part...), true
}
