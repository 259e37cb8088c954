// Package budget bounds the bytes that several parts of a program hold together.
//
// Invariants:
//
//   - A [Budget] never has more in use than its limit, nor do its children together.
//   - Nothing waits: a Budget refuses what does not fit, and the caller says so to
//     the sender.
//   - A nil *Budget has no limit and counts nothing.
package budget

import "sync/atomic"

// A Budget is a number of bytes. It is safe for concurrent use.
type Budget struct {
	parent *Budget // nil for the outermost
	limit  int64
	used   atomic.Int64
	moved  func() // see OnMove; nil: nobody is told
}

// New returns a budget of limit bytes.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Child returns a budget of limit bytes, which count against b too.
func (b *Budget) Child(limit int64) *Budget { return &Budget{parent: b, limit: limit} }

// OnMove has moved called after bytes were taken or given back, of b or of a budget that is part of
// b. moved must be quick, and is called concurrently. OnMove itself comes before all else.
func (b *Budget) OnMove(moved func()) { b.moved = moved }

// Used returns how many bytes are in use.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Acquire takes n bytes of b and of all budgets that b is part of, or none of any. It reports
// whether it did. [Budget.Release] gives them back.
func (b *Budget) Acquire(n int) bool {
	if b == nil {
		return true
	}
	if b.used.Add(int64(n)) > b.limit || !b.parent.Acquire(n) {
		b.used.Add(-int64(n))
		return false
	}
	if b.moved != nil {
		b.moved()
	}
	return true
}

// Release gives back n bytes.
func (b *Budget) Release(n int) {
	for ; b != nil; b = b.parent {
		if b.used.Add(-int64(n)) < 0 {
			panic("budget: released more than acquired")
		}
		if b.moved != nil {
			b.moved()
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

// Grow takes n more bytes, and reports whether there were that many.
func (c *Claim) Grow(n int) bool {
	if !c.of.Acquire(n) {
		return false
	}
	c.n += n
	return true
}

// Adopt makes n bytes part of c that somebody has acquired from the same budget.
func (c *Claim) Adopt(n int) { c.n += n }

// Shrink gives back n of the bytes taken.
func (c *Claim) Shrink(n int) {
	if n > c.n {
		panic("budget: gave back more than taken")
	}
	c.of.Release(n)
	c.n -= n
}

// Release gives back everything. The claim may be used again.
func (c *Claim) Release() { c.Shrink(c.n) }

// Append appends part to b; c holds the buffer of b. Together they have at most
// limit bytes. The buffer doubles up to half the limit and then takes all of it, so
// that the old and the new buffer never reach two limits together. ok is false when the budget
// has no room left; b then stays as it was.
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
