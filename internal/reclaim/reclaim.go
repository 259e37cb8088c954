// Package reclaim gives memory back to the system when a process has become quiet.
package reclaim

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/buffers"
	"github.com/mcp-editord/mcp-editord/internal/filepages"
)

const (
	// quietTime is how long no message may have come or gone, at least, before memory is given
	// back. It is given back no later than twice that.
	quietTime = 3 * time.Second

	// worthwhile is how many bytes must have been allocated since memory was last given back, which
	// takes some milliseconds. So a few small calls now and then cause none of it. The first time it is
	// always worth it: the start of a process touches most pages of its program.
	worthwhile = 1 << 20
)

// A Reclaimer gives memory back to the system when the process has become quiet. Go keeps what the
// largest results needed: it collects when the heap has doubled, and that does not happen while
// nobody calls. The pace of its collections stays as it is, or as GOGC and GOMEMLIMIT say.
//
// It does nothing while nothing happens: its timer runs only from the first message to the quiet
// after the last one.
type Reclaimer struct {
	state atomic.Int32 // one of those below
	timer *time.Timer  // runs elapsed

	allocated func() uint64 // bytes so far
	give      func()
	before    uint64 // bytes that were allocated when memory was last given back, 0 before; used only by elapsed
}

// The states of a Reclaimer.
const (
	dormant   int32 = iota // the timer does not run
	waiting                // it does, and nothing has happened since it began
	disturbed              // it does, and something has happened
)

// New returns a Reclaimer that gives back what the start has left. Touch is to be called whenever
// something happens.
func New() *Reclaimer { return newWith(allocated, giveBack) }

func newWith(allocated func() uint64, give func()) *Reclaimer {
	r := &Reclaimer{allocated: allocated, give: give}
	r.timer = time.AfterFunc(quietTime, r.elapsed)
	r.timer.Stop()
	r.Touch()
	return r
}

// Touch notes that something happens. Many call it for every message: all but the first one after a
// quiet time only read a flag.
func (r *Reclaimer) Touch() {
	if r.state.Load() != disturbed && r.state.Swap(disturbed) == dormant {
		r.timer.Reset(quietTime)
	}
}

// elapsed gives memory back if nothing has happened since it was last called, and else waits on.
func (r *Reclaimer) elapsed() {
	if !r.state.CompareAndSwap(disturbed, waiting) {
		if now := r.allocated(); r.before == 0 || now-r.before >= worthwhile {
			r.give()
			r.before = r.allocated()
		}
		if r.state.CompareAndSwap(waiting, dormant) {
			return
		}
	}
	r.timer.Reset(quietTime)
}

// Stop ends the reclaimer; at most one more call of elapsed follows.
func (r *Reclaimer) Stop() {
	r.state.Store(disturbed) // so that Touch starts no timer
	r.timer.Stop()
}

// allocated returns how many bytes this process has allocated so far. It stops nothing.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// giveBack collects what nothing refers to and gives free memory back to the system, and with it
// what of the program itself only the start needed.
func giveBack() {
	buffers.Drop()
	debug.FreeOSMemory()
	filepages.Release()
}
