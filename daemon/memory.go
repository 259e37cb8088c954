package daemon

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/buffers"
	"github.com/mcp-editord/mcp-editord/internal/filepages"
)

// Bounds, in bytes, of the memory for what others send: messages being read, results on their way,
// lists of servers, answers that an editor has not read. Nobody can use up what the others need.
const (
	daemonMemory = 1 << 30   // for all together
	serverMemory = 256 << 20 // for one server
	editorMemory = 128 << 20 // for one editor
)

const (
	// quietTime is how long no message may have come or gone, at least, before memory is given
	// back. It is given back no later than twice that.
	quietTime = 3 * time.Second

	// worthwhile is how many bytes must have been allocated since memory was last given back, which
	// takes some milliseconds. So a few small calls now and then cause none of it.
	worthwhile = 1 << 20
)

// A reclaimer gives memory back to the system when the daemon has become quiet. Go keeps what the
// largest results needed: it collects when the heap has doubled, and that does not happen while
// nobody calls. The pace of its collections stays as it is, or as GOGC and GOMEMLIMIT say.
//
// It does nothing while nothing happens: its timer runs only from the first message to the quiet
// after the last one.
type reclaimer struct {
	state atomic.Int32 // one of those below
	timer *time.Timer  // runs elapsed

	allocated func() uint64 // bytes so far
	give      func()
	before    uint64 // bytes that were allocated when memory was last given back; used only by elapsed
}

// The states of a reclaimer.
const (
	dormant   int32 = iota // the timer does not run
	waiting                // it does, and nothing has happened since it began
	disturbed              // it does, and something has happened
)

// newReclaimer returns a reclaimer that gives back what the start has left.
func newReclaimer(allocated func() uint64, give func()) *reclaimer {
	r := &reclaimer{allocated: allocated, give: give}
	r.timer = time.AfterFunc(quietTime, r.elapsed)
	r.timer.Stop()
	r.touch()
	return r
}

// touch notes that something happens. Many call it for every message: all but the first one after a
// quiet time only read a flag.
func (r *reclaimer) touch() {
	if r.state.Load() != disturbed && r.state.Swap(disturbed) == dormant {
		r.timer.Reset(quietTime)
	}
}

// elapsed gives memory back if nothing has happened since it was last called, and else waits on.
func (r *reclaimer) elapsed() {
	if !r.state.CompareAndSwap(disturbed, waiting) {
		if now := r.allocated(); now-r.before >= worthwhile {
			r.give()
			r.before = r.allocated()
		}
		if r.state.CompareAndSwap(waiting, dormant) {
			return
		}
	}
	r.timer.Reset(quietTime)
}

// stop ends the reclaimer; at most one more call of elapsed follows.
func (r *reclaimer) stop() {
	r.state.Store(disturbed) // so that touch starts no timer
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
