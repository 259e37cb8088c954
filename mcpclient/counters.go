package mcpclient

import "sync/atomic"

// counts are the live [Counters] of a Client.
type counts struct {
	noise, oversized, late, refused, deep, leftOut, renewed atomic.Int64
}

func (c *counts) read() Counters {
	return Counters{
		NoiseLines:    c.noise.Load(),
		LateResponses: c.late.Load(),
		Oversized:     c.oversized.Load(),
		Refused:       c.refused.Load(),
		TooDeep:       c.deep.Load(),
		LeftOut:       c.leftOut.Load(),
		Renewed:       c.renewed.Load(),
	}
}

// worthALine reports whether to log the nth of a kind: each power of two is logged, so that a flood
// leaves the log readable.
func worthALine(n int64) bool { return n&(n-1) == 0 }
