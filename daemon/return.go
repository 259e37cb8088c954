package daemon

import (
	"context"
	"slices"
	"time"
)

// returnLimit is how long a question waits for an editor that has left it open: a window that reloads is back by then. On a busy
// machine that takes VS Code 13 s.
const returnLimit = 30 * time.Second

// awaitReturn waits until an editor that has gone attaches again, as a window does that reloads: the same program in the same
// folders. It returns nil when that does not happen in time, or when ctx ends.
func (d *Daemon) awaitReturn(ctx context.Context, e *editor) *editor {
	late := time.NewTimer(d.returns)
	defer late.Stop()
	for {
		d.mu.Lock()
		comings := d.comings
		i := slices.IndexFunc(d.editors, func(other *editor) bool {
			return e.closed && other.id > e.after && other.initialized && other.agent == nil && other.name == e.name && slices.Equal(other.real, e.real)
		})
		if i >= 0 {
			defer d.mu.Unlock()
			return d.editors[i]
		}
		d.mu.Unlock()
		select {
		case <-comings:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// moved tells those who wait for an editor that one has come or gone. d.mu is held.
func (d *Daemon) moved() {
	close(d.comings)
	d.comings = make(chan struct{})
}
