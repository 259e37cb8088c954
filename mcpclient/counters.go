package mcpclient

import (
	"sync"
	"sync/atomic"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// counts are the live [Counters] of a Client.
type counts struct {
	late, refused, deep, leftOut, renewed atomic.Int64

	mu              sync.Mutex // guards the fields that follow
	wire            wire.Wire  // in use; may be nil
	noise, oversize int64      // of the wires before it
}

// use counts what w skips, until retire.
func (c *counts) use(w wire.Wire) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wire = w
}

// retire keeps what the wire has counted.
func (c *counts) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noise, c.oversize = c.skipped()
	c.wire = nil
}

// skipped returns the counts of all wires together. mu is held.
func (c *counts) skipped() (noise, oversized int64) {
	noise, oversized = c.noise, c.oversize
	if c.wire != nil {
		n, o := c.wire.Skipped()
		noise, oversized = noise+n, oversized+o
	}
	return noise, oversized
}

func (c *counts) read() Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	noise, oversized := c.skipped()
	return Counters{
		NoiseLines:    noise,
		LateResponses: c.late.Load(),
		Oversized:     oversized,
		Refused:       c.refused.Load(),
		TooDeep:       c.deep.Load(),
		LeftOut:       c.leftOut.Load(),
		Renewed:       c.renewed.Load(),
	}
}

// worthALine reports whether to log the nth of a kind: each power of two is logged, so that a flood
// leaves the log readable.
func worthALine(n int64) bool { return n&(n-1) == 0 }
