package daemon

import (
	"context"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Dial implements [wire.Dialer]. Starting a server reads the disk: its envFile, its command, and
// the folder it runs in. A disk that hangs holds up this start, but you can still stop the server,
// and the daemon can still end. One goroutine waits for the disk, however often the server is
// started. Nothing is started while servers of an earlier daemon are being ended.
func (c *connection) Dial(ctx context.Context, log wire.LogSink) (wire.Wire, error) {
	select {
	case <-c.d.reaped:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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
				d.wire.Kill() // nobody wants it any more
				_ = d.wire.Close()
			}
		})
		return nil, ctx.Err()
	}
}
