package daemon

import (
	"context"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Dial implements [wire.Dialer]. To start a server the disk is asked: for its envFile, its
// command, and the folder it runs in. A disk that hangs keeps this start from ending, but not the
// server from being stopped, nor the daemon from ending; and one goroutine waits for it, however often
// the server is started.
func (c *connection) Dial(ctx context.Context, log wire.LogSink) (wire.Wire, error) {
	select {
	case c.dialing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type dialled struct {
		wire wire.Wire
		err  error
	}
	done := make(chan dialled, 1)
	c.d.dialing.Go(func() {
		defer func() { <-c.dialing }()
		wire, err := c.dial(ctx, log)
		done <- dialled{wire, err}
	})
	select {
	case d := <-done:
		return d.wire, d.err
	case <-ctx.Done():
		c.d.dialing.Go(func() {
			if d := <-done; d.wire != nil {
				d.wire.Kill() // nobody waits for it any more
				_ = d.wire.Close()
			}
		})
		return nil, ctx.Err()
	}
}
