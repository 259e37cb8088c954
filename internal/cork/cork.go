// Package cork has what many messages cause written in few writes.
//
// Whoever reads messages often finds several that have arrived together. What the first of them
// causes need not be written before the last of them is handled: that is only a moment later, and
// a write costs as much as all the rest. A [Cork] belongs to one reader, who says whether more
// messages are there already, and flushes it before he waits for the next.
package cork

import "slices"

// A Flusher has something to write that it holds back.
type Flusher interface {
	// Flush writes it, in the order in which it was held. It does not wait for the other side.
	Flush()
}

// A Cork is used by one goroutine at a time. A nil *Cork holds nothing back.
type Cork struct {
	more bool
	held []Flusher
}

// More says whether the reader has another message that he handles next, without waiting for
// anything.
func (c *Cork) More(more bool) { c.more = more }

// Hold reports whether f may hold back what it has to write now. The reader then flushes it.
func (c *Cork) Hold(f Flusher) bool {
	if c == nil || !c.more {
		return false
	}
	if !slices.Contains(c.held, f) {
		c.held = append(c.held, f)
	}
	return true
}

// Flush has everything written that is held back.
func (c *Cork) Flush() {
	if c == nil {
		return
	}
	for i, f := range c.held {
		f.Flush()
		c.held[i] = nil
	}
	c.held = c.held[:0]
}
