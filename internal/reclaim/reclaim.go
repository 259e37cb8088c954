// Package reclaim gives memory back to the system when a process has become quiet.
package reclaim

import (
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/buffers"
	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/filepages"
)

const (
	// quietTime is how long no message may have come or gone before memory is given back.
	quietTime = 3 * time.Second

	// latest is when it is given back although the process has not become quiet.
	latest = time.Hour

	// worthwhile is how many bytes must have been allocated since memory was last given back, which
	// takes some milliseconds. So a few small calls now and then cause none of it. The first time it is
	// always worth it: the start of a process touches most pages of its program.
	worthwhile = 1 << 20
)

// New returns a Debouncer that gives memory back to the system when the process has become quiet. Trigger
// is to be called whenever something happens. Go keeps what the largest results needed: it collects when
// the heap has doubled, and that does not happen while nobody calls. The pace of its collections stays as
// it is, or as GOGC and GOMEMLIMIT say.
func New() *debounce.Debouncer { return newWith(allocated, giveBack) }

func newWith(allocated func() uint64, give func()) *debounce.Debouncer {
	var before uint64 // bytes that were allocated when memory was last given back
	d := debounce.New(quietTime, latest, func() {
		if now := allocated(); before == 0 || now-before >= worthwhile {
			give()
			before = allocated()
		}
	})
	d.Trigger() // for what the start has left
	return d
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
