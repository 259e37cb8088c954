package mcpclient

import (
	"fmt"
	"sync/atomic"
)

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

// counted counts one more, and says so in the log. Each power of two is logged, so that a flood
// leaves the log readable.
func (s *session) counted(count *atomic.Int64, format string, args ...any) {
	if n := count.Add(1); n&(n-1) == 0 {
		s.log.say("%s (%d so far)", fmt.Sprintf(format, args...), n)
	}
}
