package mcpclient

import (
	"fmt"
	"sync/atomic"
)

// counts count what a [Client] has dropped, and how often it was renewed. They only grow.
type counts struct {
	noise     atomic.Int64 // lines on stdout that are not JSON-RPC
	late      atomic.Int64 // answers that no request waits for: late, unknown, doubled
	oversized atomic.Int64 // frames over the limit
	refused   atomic.Int64 // requests of the server that were refused because there were too many
	leftOut   atomic.Int64 // notifications and progress of the server that were left out of a flood
	deep      atomic.Int64 // messages of the server that were refused because they were nested too deep
	renewed   atomic.Int64 // by [Client.Renew]
}

// Counters returns what was counted so far, by the names of editord/status.
func (c *Client) Counters() map[string]int64 {
	n := &c.counts
	return map[string]int64{
		"noiseLines": n.noise.Load(), "lateResponses": n.late.Load(), "oversizedFrames": n.oversized.Load(),
		"refusedRequests": n.refused.Load(), "nestedTooDeep": n.deep.Load(),
		"notificationsLeftOut": n.leftOut.Load(), "initializedAnew": n.renewed.Load(),
	}
}

// counted counts one more, and says so in the log. Each power of two is logged, so that a flood
// leaves the log readable.
func (s *session) counted(count *atomic.Int64, format string, args ...any) {
	if n := count.Add(1); n&(n-1) == 0 {
		s.log.say("%s (%d so far)", fmt.Sprintf(format, args...), n)
	}
}
