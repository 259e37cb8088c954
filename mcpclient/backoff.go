package mcpclient

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	firstBackoff = time.Second
	maxBackoff   = time.Minute
	steadyAfter  = time.Minute // once it has been ready for so long, the back-off begins anew
	maxEnds      = 5           // within endsWithin, after which a server is not started again
	endsWithin   = 3 * time.Minute
)

// backoff decides when a server that has ended starts again. Its zero value knows
// of no end.
type backoff struct {
	step time.Duration
	ends []time.Time // within endsWithin
}

// ended notes that a server ended at now, after it had been ready for so long. It returns how long
// to wait, or false when the server has ended too often.
func (b *backoff) ended(now time.Time, ready time.Duration) (time.Duration, bool) {
	b.ends = slices.DeleteFunc(b.ends, func(t time.Time) bool { return now.Sub(t) >= endsWithin })
	b.ends = append(b.ends, now)
	if len(b.ends) >= maxEnds {
		return 0, false
	}
	return b.next(ready), true
}

// next returns how long to wait after an end that does not count.
func (b *backoff) next(ready time.Duration) time.Duration {
	switch {
	case b.step == 0 || ready >= steadyAfter:
		b.step = firstBackoff
	default:
		b.step = min(2*b.step, maxBackoff)
	}
	// Jitter keeps servers that end together from starting together.
	return time.Duration((0.5 + rand.Float64()/2) * float64(b.step))
}

// endedTooOften returns what to say of a server that is given up, after a message about its last end.
func endedTooOften(message string) string {
	return wording.Adding(message, fmt.Sprintf("; it has ended %d times within %s and does not start again by itself", maxEnds, wire.Span(endsWithin)))
}
